// Puts the studio beside the built gallery, and writes the service worker: `node scripts/site.mjs`. What is then in
// dist is a whole site.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { offline } from '../../scripts/offline.mjs';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const dist = at('../dist');

fs.cpSync(at('../../studio/dist'), path.join(dist, 'studio'), { recursive: true });
fs.copyFileSync(at('../../studio/dist/NOTICES.txt'), path.join(dist, 'NOTICES.txt'));
offline(dist, 'gallery');
