// The types of `ws` that other packages bring are of an older version, which calls it `Server`. The import makes this file
// add to them, and not replace them.
import 'ws';

declare module 'ws' {
  class WebSocketServer extends Server {}
}
