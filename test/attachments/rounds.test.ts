import { describe, expect, it } from 'vitest';
import { Rounds } from '../../src/attachments/rounds.ts';

/** A work that ends when it is told to. */
function work(said: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    end,
    run: async () => {
      said.push(`${name} begins`);
      await ended;
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('rounds', () => {
  it('begin what has come meanwhile together, and tell all of a round together', async () => {
    const said: string[] = [];
    const rounds = new Rounds();
    const [a, b, c] = [work(said, 'a'), work(said, 'b'), work(said, 'c')];
    const told = (name: string) => () => said.push(`${name} is told`);
    const all = [
      rounds.join(a.run).then(told('a')),
      rounds.join(b.run).then(told('b')),
      rounds.join(c.run).then(told('c')),
    ];
    await turn();
    expect(said).toEqual(['a begins']);
    a.end();
    await turn();
    expect(said.sort()).toEqual(['a begins', 'a is told', 'b begins', 'c begins']);
    c.end();
    await turn();
    expect(said).toHaveLength(4);
    b.end();
    await Promise.all(all);
    expect(said.slice(4)).toEqual(['b is told', 'c is told']);
  });

  it('tell the one that fails, and go on', async () => {
    const rounds = new Rounds();
    const failing = rounds.join(async () => {
      throw new Error('the disk is full');
    });
    const thrown = rounds.join(() => {
      throw new Error('at once');
    });
    const fine = rounds.join(async () => undefined);
    await expect(failing).rejects.toThrow('the disk is full');
    await expect(thrown).rejects.toThrow('at once');
    await expect(fine).resolves.toBeUndefined();
  });
});
