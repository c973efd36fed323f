import { Observable } from 'rxjs';

/** What is iterated over, from the subscription on; the signal aborts when it ends. */
export function fromIterable<T>(open: (signal: AbortSignal) => AsyncIterable<T>): Observable<T> {
  return new Observable((subscriber) => {
    const stop = new AbortController();
    void (async () => {
      try {
        for await (const item of open(stop.signal)) {
          if (stop.signal.aborted) return;
          subscriber.next(item);
        }
        subscriber.complete();
      } catch (thrown) {
        subscriber.error(thrown);
      }
    })();
    return () => stop.abort();
  });
}
