// Protects: text that others wrote acts on no terminal, in no command and in no form of output, and its JSON stays exact.
import { expect } from 'chai';
import { describe, it } from '#test';
import { createTerminal } from '../../src/cli/command.ts';
import { eventLine } from '../../src/cli/commands/tail.ts';

/** Clears, colours, titles, 8-bit codes, new lines, turned directions, and what cannot be seen. */
const ACTS: readonly string[] = [
  ...['\u001b[2J', '\u001b[31m', '\u001b]0;x\u0007', '\u009b2J', '\u0090', '\b', '\u007f', '\0'],
  ...['\n', '\r', '\r\n', '\t', '\u0085', '\u2028', '\u2029', '\v', '\f'],
  ...['\u202e', '\u2066', '\u200f', '\u061c', '\u200b', '\ufeff', '\u{e0041}', '\ud800'],
];
const ACTING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\ufeff\u{e0041}]/u;

const opened = ({ isJson = false, color = false, isTTY = false } = {}) => {
  const written: string[] = [];
  const stdout = { isTTY, write: (text: string) => written.push(text) };
  const { signal } = new AbortController();
  return { written, terminal: createTerminal({ isJson, color, signal, stdout, stderr: stdout }) };
};

describe('what a command prints', () => {
  it('lets no text of others act on the terminal', () => {
    for (const act of ACTS) {
      const { written, terminal } = opened({ isTTY: true });
      terminal.print(`order ${act}1`);
      terminal.print([`order ${act}1`, terminal.style('red', `order ${act}1`)]);
      terminal.complain(`order ${act}1`);
      terminal.progress('invoices').end();
      const lines = written.slice(0, -1).join('').split('\n');
      expect(lines, JSON.stringify(act)).to.have.length(5);
      for (const line of lines) expect(ACTING.test(line), JSON.stringify(line)).to.equal(false);
    }
  });

  it('keeps its own colours, and nothing of others within them', () => {
    for (const act of ['', ...ACTS]) {
      const { written, terminal } = opened({ color: true });
      terminal.print(`${terminal.style('green', `paid ${act}`)} ${act}`);
      const [line = ''] = written;
      const rest = line.replace('\u001b[32m', '').replace('\u001b[39m', '').slice(0, -1);
      expect(rest.length, 'two codes were there').to.equal(line.length - 11);
      expect(ACTING.test(rest), JSON.stringify(line)).to.equal(false);
    }
  });

  it('says the same values as JSON, in characters that act on nothing', () => {
    for (const act of ACTS) {
      const { written, terminal } = opened({ isJson: true });
      terminal.emit({ correlationId: `order ${act}1` });
      const [line = ''] = written;
      expect(ACTING.test(line.slice(0, -1)), JSON.stringify(line)).to.equal(false);
      expect(JSON.parse(line)).to.deep.equal({ correlationId: `order ${act}1` });
    }
  });

  it('leaves letters of all scripts as they are', () => {
    const { written, terminal } = opened();
    const text = 'Zażółć, \u05e9\u05dc\u05d5\u05dd, \u0633\u0644\u0627\u0645, 👩‍🚀 ✓';
    terminal.print(text);
    expect(written).to.deep.equal([`${text}\n`]);
  });

  it('tail: an event is one line, whatever its members hold', () => {
    const { written, terminal } = opened({ color: true });
    const evil = 'a\u001b[2J\nb';
    const data = { entityId: evil, changes: [evil] };
    const event = { id: 'e', eventType: evil, webhookVersion: 'v1', data, created: evil };
    terminal.print(eventLine(event as never, { state: evil }, terminal));
    const [line = ''] = written;
    expect([line.includes('[2J'), line.includes('\u001b[2J'), line.indexOf('\n')]).to.deep.equal([
      true,
      false,
      line.length - 1,
    ]);
  });
});
