// This file is loaded into the service by the bench that watches its memory: at a signal it collects what is not used any more and writes
// down how much is left, in bytes, where the variable HEAP_FILE says.
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  collect();
  writeFileSync(process.env.HEAP_FILE, JSON.stringify(process.memoryUsage()));
});
