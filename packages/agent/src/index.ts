export { Agent, createAgent } from './agent.ts'
export type { AgentConfig, Behavior } from './agent-config.ts'
export type { ChatOptions, HistoryMessage, SeedConfirmation } from './chat-options.ts'
export { AgenticLoop } from './agentic-loop.ts'
export type { LoopResult } from './loop-result.ts'
export type { Document, DocumentInput, SearchOptions, SearchResult } from './knowledge/documents.ts'
export { type DocumentSource, KnowledgeStore } from './knowledge/knowledge-store.ts'
export { Retriever } from './knowledge/retriever.ts'
export { type LLMConfig, LLMManager } from './llm/llm-manager.ts'
export type {
  GenerateOptions,
  LLMChunk,
  LLMMessage,
  LLMResponse,
  LLMToolCall,
  ModelPort,
  ToolDefinition,
} from './llm/model-port.ts'
export { type ScriptedAnswer, ScriptedModel, type ScriptedRequest } from './llm/scripted-model.ts'
export type { AgentPlugin, PluginContext } from './plugins/agent-plugin.ts'
export { PluginError, PluginManager } from './plugins/plugin-manager.ts'
export type { Logger, Tool, ToolContext, ToolParameter, ToolResult } from './plugins/tool.ts'
export { ResponseHandler } from './response-handler.ts'
export type { AgentResponse, ConfirmResponse, ExecuteResponse, ToolCallRecord } from './responses.ts'
export {
  type AgentEvent,
  type AgentEventData,
  type AgentEventType,
  createCancelledEvent,
  createCompletedEvent,
  createConfirmationCheckEvent,
  createConfirmationRequiredEvent,
  createContentChunkEvent,
  createDecisionEvent,
  createErrorEvent,
  createHeartbeatEvent,
  createIterationCompletedEvent,
  createIterationStartedEvent,
  createKnowledgeRetrievedEvent,
  createMaxIterationsEvent,
  createProcessingStartedEvent,
  createToolCallCompletedEvent,
  createToolCallStartedEvent,
  createToolErrorEvent,
  formatSSEEvent,
  generateEventId,
  parseSSEEvent,
  type PendingConfirmation,
} from '@parley/protocol/agent-sse'
