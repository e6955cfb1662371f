// Before a package is packed: what it holds is built, and the server has the embed script, the console and the guide in its own folder.
import { cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import { prepareAll, root } from './prepare.mjs'

await prepareAll()
if (basename(process.cwd()) === 'server') {
  cpSync(join(root, 'packages/chatkit/bundle'), 'embed', { recursive: true, force: true })
  cpSync(join(root, 'apps/console/bundle'), 'console', { recursive: true, force: true })
  cpSync(join(root, 'docs/guide'), 'guide', { recursive: true, force: true })
}
