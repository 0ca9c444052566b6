// This file shows on standard error how far a bench has come: what is going on in one line of a terminal, and a line for each part that
// is finished, wherever it goes.

/** @param total parts that there are */
export function makeProgress(total) {
  const began = performance.now();
  const isTerminal = process.stderr.isTTY === true;
  let finished = 0;
  const clear = () => {
    if (isTerminal) process.stderr.write('\r\x1b[K');
  };
  return {
    /** What is going on. */
    show: (text) => {
      clear();
      if (isTerminal) process.stderr.write(`[${finished + 1}/${total}] ${text} …`);
    },
    /** A part is finished. */
    done: (text) => {
      finished++;
      clear();
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      process.stderr.write(`${text} (${finished} of ${total}, ${seconds} s)\n`);
    },
    end: clear,
  };
}
