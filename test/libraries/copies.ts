// Loaded first, in this order: the package with its copy of RxJS, a polyfill, and another copy of RxJS.
// The first copy looks for an Observable under '@@observable', the second one under the polyfill's symbol.
import 'paystate/rx';
import 'symbol-observable';
import 'other-rxjs';
