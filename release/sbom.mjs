// What limber consists of, for machines: node release/sbom.mjs BUILD [VERSION]. Prints CycloneDX 1.5 as JSON. The time is
// SOURCE_DATE_EPOCH, so that the same sources give the same bytes.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmParts, programParts, wasmParts, windowsParts } from './parts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [build, version = '0'] = process.argv.slice(2);
if (!build) throw new Error('usage: node release/sbom.mjs BUILD [VERSION]');

function component(part) {
  const purl =
    part.kind === 'npm'
      ? `pkg:npm/${part.name.replace('@', '%40')}@${part.version}`
      : `pkg:deb/debian/${part.name}@${encodeURIComponent(part.version)}?arch=${part.architecture}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name: part.name,
    version: part.version,
    ...(part.license ? { licenses: [{ expression: part.license }] } : {}),
    purl,
    properties: [{ name: 'limber:use', value: part.how }],
  };
}

const has = (file) => fs.existsSync(path.join(root, file));
const web = () => [
  ...(has('web/limber/dist') ? wasmParts() : []),
  ...(has('web/studio/dist') ? npmParts(path.join(root, 'web/studio'), path.join(root, 'web/node_modules')) : []),
];
const folder = path.resolve(root, build);
const parts = fs.existsSync(path.join(folder, 'limber.exe')) ? windowsParts() : [...programParts(folder), ...web()];
const time = process.env.SOURCE_DATE_EPOCH;
const components = [...new Map(parts.map((part) => [part.name, component(part)])).values()];
const whole = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    ...(time ? { timestamp: new Date(1000 * Number(time)).toISOString() } : {}),
    component: {
      type: 'application',
      'bom-ref': `limber@${version}`,
      name: 'limber',
      version,
      licenses: [{ expression: 'MIT' }],
    },
  },
  components,
  dependencies: [{ ref: `limber@${version}`, dependsOn: components.map((c) => c['bom-ref']) }],
};
process.stdout.write(`${JSON.stringify(whole, null, 2)}\n`);
