// The script of the frame that runs programs. It accepts a single task, from the page around the
// frame, and reports through the port that comes with the task.
import { takeConsole } from './console.ts';
import { answerer, isQuestion, type Question } from './crypto.ts';
import { showThrown } from './show.ts';
import type { Report, Task } from './task.ts';

const urlOf = (text: string): string =>
  URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));

/** Starts a worker with the packages and the program in a single script. */
function startModule(packages: string, program: string, tell: (report: Report) => void): void {
  const text = `${packages}\nrunProgram(async (require, exports) => {${program}\n});`;
  const worker = new Worker(urlOf(text));
  const answer = answerer();
  worker.onmessage = ({ data }: MessageEvent<Report | Question>) => {
    if (!isQuestion(data)) return tell(data);
    void answer(data).then((message) => worker.postMessage(message));
  };
  worker.onerror = ({ message }) => tell({ kind: 'failed', text: message });
}

const ONE_FILE = /(['"])[^'"]*\/paystate\.min\.js\1/g;

/** Replaces the frame's document by the program's page. The security policy still applies. */
function startPage(oneFile: string, page: string, tell: (report: Report) => void): void {
  takeConsole(tell);
  const text = page.replace(ONE_FILE, `'${urlOf(oneFile)}'`);
  document.open();
  document.write(text);
  document.close();
  addEventListener('error', ({ message }) => tell({ kind: 'failed', text: message }));
  addEventListener('unhandledrejection', ({ reason }) =>
    tell({ kind: 'failed', text: showThrown(reason) }),
  );
}

addEventListener(
  'message',
  ({ source, data, ports: [port] }: MessageEvent<Task>) => {
    if (source !== parent || !port) return;
    const tell = (report: Report): void => port.postMessage(report);
    if (data.kind === 'page') startPage(data.oneFile, data.page, tell);
    else startModule(data.packages, data.program, tell);
  },
  { once: true },
);
