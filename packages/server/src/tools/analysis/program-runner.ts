/** Of each of the two streams. What comes after it is read and dropped, so that no program waits for a reader. */
export const STREAM_BYTES = 1024 * 1024

/**
 * Runs one program in the sandbox and tells its two streams apart, as text for `node -e`: the guard hands on only one.
 * A line each: `["out", base64]`, `["err", base64]`, `["exit", code]`. Whatever else the program manages to write into
 * the same pipe is no such line, or one about itself.
 */
export const PROGRAM_RUNNER = `
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const { PARLEY_PROGRAM, PARLEY_RUNNER, ...env } = process.env
const [file, ...args] = JSON.parse(PARLEY_PROGRAM)
const tell = (...line) => process.stdout.write(JSON.stringify(line) + '\\n')
const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
for (const [name, stream] of [['out', child.stdout], ['err', child.stderr]]) {
  let room = ${STREAM_BYTES}
  stream.on('data', (chunk) => {
    const kept = chunk.subarray(0, room)
    room -= kept.length
    if (kept.length > 0) tell(name, kept.toString('base64'))
  })
}
child.on('error', ({ message }) => tell('err', Buffer.from(message).toString('base64')))
child.on('close', (code, signal) => tell('exit', code ?? 128 + (constants.signals[signal] ?? 0)))
`
