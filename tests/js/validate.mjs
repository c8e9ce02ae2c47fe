// node validate.mjs FILE...: the Khronos validator; any error or warning fails.
import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';

const LEVELS = ['error', 'warning', 'info', 'hint'];

// Messages of one file, worst first.
export async function validate(file) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
  });
  return report.issues.messages.sort((a, b) => a.severity - b.severity);
}

export const isFault = (message) => message.severity < 2;

/** Faults of a file that the one it was made of does not have. */
export async function newFaults(file, source) {
  const old = new Set((await validate(source)).filter(isFault).map((message) => message.code));
  return (await validate(file)).filter((message) => isFault(message) && !old.has(message.code));
}

export function describe(message) {
  return `${LEVELS[message.severity]} ${message.code} at ${message.pointer ?? `byte ${message.offset}`}: ${message.message}`;
}

async function main(files) {
  let faults = 0;
  for (const file of files) {
    const messages = await validate(file);
    const bad = messages.filter(isFault);
    faults += bad.length;
    const counts = LEVELS.map((level, i) => `${messages.filter((m) => m.severity === i).length} ${level}`).join(', ');
    console.log(`${bad.length ? 'FAIL' : 'ok  '} ${path.basename(file)}: ${counts}`);
    for (const message of bad.slice(0, 20)) console.log(`       ${describe(message)}`);
  }
  if (!files.length) console.log('FAIL no files given');
  process.exit(faults || !files.length ? 1 : 0);
}

if (process.argv[1]?.endsWith('/validate.mjs')) await main(process.argv.slice(2));
