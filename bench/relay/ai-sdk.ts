/** What most people would write: AI SDK's `streamText` behind node:http. It stores nothing either. */
import { createServer } from 'node:http'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'

const provider = createOpenAICompatible({ name: 'stub', baseURL: `${process.argv[2]}/v1` })
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const model = new URL(request.url!, 'http://x').searchParams.get('model')!
    void streamText({ model: provider(model), prompt: 'go' }).pipeUIMessageStreamToResponse(response)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
