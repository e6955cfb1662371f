import { agentSseFace } from './faces/agent-sse/agent-sse-face.ts'
import { apiDocsFace } from './faces/api-docs/api-docs-face.ts'
import { consoleFace } from './faces/console/console-face.ts'
import { docsFace } from './faces/docs/docs-face.ts'
import { embedFace } from './faces/embed/embed-face.ts'
import type { Face } from './faces/face.ts'
import { nativeFace } from './faces/native/native-face.ts'
import { onedragonFace } from './faces/onedragon/onedragon-face.ts'

/** Every protocol that this server speaks. One that is added here is mounted; nothing else knows of it. */
export const FACES: readonly Face[] = [
  consoleFace,
  docsFace,
  apiDocsFace,
  embedFace,
  nativeFace(),
  agentSseFace,
  onedragonFace,
]
