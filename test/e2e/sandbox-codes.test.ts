// Protects: every code that a state of the service leads to is reached over plain HTTP too, by whoever has no TypeScript.
import { expect } from 'chai';
import { describe, it } from '#test';
import { playCodes } from '../codes/both.ts';

describe('codes of the service', () => {
  it('are 52: 49 come by what is the case, in process and over the command', async () => {
    const rows = await playCodes();
    const other = rows.filter(({ inProcess, overCommand }) => inProcess !== overCommand);
    expect(other).to.deep.equal([]);
    expect(rows.filter(({ overCommand }) => overCommand === 'ok')).to.have.length(49);
    expect(
      rows.filter(({ overCommand }) => overCommand !== 'ok').map(({ code }) => code),
    ).to.deep.equal(['INTERNAL_SERVER_ERROR', 'BAD_GATEWAY', 'GATEWAY_TIMEOUT']);
  });
});
