/** Starts the given command as an MCP server, says its process id, and waits to be killed. */
import { StdioTransport } from '../../../../src/tools/mcp/stdio-transport.ts'

const [command = '', ...args] = process.argv.slice(2)
const transport = new StdioTransport({ command, args, env: {}, onSaid: () => undefined })
await transport.start()
process.stdout.write(`${transport.pid}\n`)
setInterval(() => undefined, 1000)
