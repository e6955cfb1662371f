/** Classes an integrator mounts as they are, one per back end. */
import type { Projection } from '@parley/protocol'
import { agUi, type AgUiOptions } from '../adapters/ag-ui/ag-ui.ts'
import { agUiCore, type AgUiState } from '../adapters/ag-ui/ag-ui-core.ts'
import { agentSse, type AgentSseOptions } from '../adapters/agent-sse/agent-sse.ts'
import { agentSseCore, type AgentSseState } from '../adapters/agent-sse/agent-sse-core.ts'
import { coze, type CozeOptions } from '../adapters/coze/coze.ts'
import { cozeCore } from '../adapters/coze/coze-core.ts'
import type { CozeState } from '../adapters/coze/coze-state.ts'
import { dify, type DifyOptions } from '../adapters/dify/dify.ts'
import { difyCore, type DifyState } from '../adapters/dify/dify-core.ts'
import { onedragon, type OneDragonOptions } from '../adapters/onedragon/onedragon.ts'
import { onedragonCore, type OneDragonState } from '../adapters/onedragon/onedragon-core.ts'
import { openai, type OpenAIOptions } from '../adapters/openai/openai.ts'
import { openaiCore, type OpenAIState } from '../adapters/openai/openai-core.ts'
import { parley, type ParleyOptions } from '../adapters/parley/parley.ts'
import { parleyCore } from '../adapters/parley/parley-core.ts'
import { AdapterChatKit } from './adapter-chat-kit.ts'
import type { ChatKitProps } from './chat-kit-props.ts'

/** The chat's props, and the adapter's options beside them. */
export type ReadyProps<Options> = Omit<ChatKitProps, keyof Options> & Options

export class ChatKitParley extends AdapterChatKit<Projection, ReadyProps<ParleyOptions>> {
  protected makeAdapter() {
    return parley(this.props)
  }
  protected makeCore() {
    return parleyCore()
  }
}

export class ChatKitCoze extends AdapterChatKit<CozeState, ReadyProps<CozeOptions>> {
  protected makeAdapter() {
    return coze(this.props)
  }
  protected makeCore() {
    return cozeCore(this.props.toolParsers)
  }
}

export class ChatKitDify extends AdapterChatKit<DifyState, ReadyProps<DifyUser>> {
  protected makeAdapter() {
    return dify({ ...this.props, user: this.props.userId })
  }
  protected makeCore() {
    return difyCore(this.props.showWorkflow ? { showWorkflow: true } : {})
  }
}

/** Dify calls the user's id `user`, which is the person's name and picture among the chat's props. */
export type DifyUser = Omit<DifyOptions, 'user'> & { userId: string }

export class ChatKitOpenAI extends AdapterChatKit<OpenAIState, ReadyProps<OpenAIOptions>> {
  protected makeAdapter() {
    return openai(this.props)
  }
  protected makeCore() {
    return openaiCore(this.props.locale)
  }
}

export class ChatKitOneDragon extends AdapterChatKit<OneDragonState, ReadyProps<OneDragonOptions>> {
  protected makeAdapter() {
    return onedragon(this.props)
  }
  protected makeCore() {
    return onedragonCore(this.props.toolParsers)
  }
}

export class ChatKitAgentSSE extends AdapterChatKit<AgentSseState, ReadyProps<AgentSseOptions>> {
  protected makeAdapter() {
    return agentSse(this.props)
  }
  protected makeCore() {
    return agentSseCore(this.props.locale, this.props.toolParsers)
  }
}

export class ChatKitAGUI extends AdapterChatKit<AgUiState, ReadyProps<AgUiOptions>> {
  protected makeAdapter() {
    return agUi(this.props)
  }
  protected makeCore() {
    return agUiCore()
  }
}
