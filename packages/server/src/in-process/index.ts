export { agentResponse } from '../faces/agent-sse/agent-response.ts'
export { newId } from '../faces/agent-sse/new-id.ts'
export { chatFailure, type ChatFailure } from './chat-failure.ts'
export type {
  Asked,
  ChatTerms,
  GivenContext,
  GivenKnowledge,
  GivenModel,
  GivenSetup,
  GivenTool,
  InProcess,
  InProcessOptions,
  LogLine,
  StartedChat,
  WhichRun,
} from './in-process.ts'
export { openInProcess } from './open-in-process.ts'
export { type ProviderOptions, providerModel } from './provider-model.ts'
export type { JsonObject, JsonValue, Model, ModelEvent, ModelMessage, ModelRequest, ToolSpec, Usage } from '../ports.ts'
