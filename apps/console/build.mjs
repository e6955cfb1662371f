// The console as files that the server sends: small chunks with names of their own, packed once, here.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'error' })

const folder = join(import.meta.dirname, 'bundle')
const files = await readdir(folder, { recursive: true })
const packed = files.filter((name) => /\.(js|css|svg)$/.test(name))
for (const name of packed) {
  const text = await readFile(join(folder, name))
  await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(text, { level: 9 }))
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: text.length > 1_000_000 ? 5 : 9 } }
  await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(text, options))
}
