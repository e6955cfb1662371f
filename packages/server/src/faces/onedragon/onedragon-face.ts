import { onedragonSchema } from '../../config/onedragon-options.ts'
import type { Face } from '../face.ts'
import { analysisRoute } from './analysis-route.ts'
import { modelConfigRoutes } from './model-config-routes.ts'
import { answerErrors } from './refusal.ts'
import { StorageWatch } from './storage-watch.ts'
import { streamRoute } from './stream-route.ts'

const PACE = { heartbeatMs: 15_000, stallMs: 60_000, maxBehindBytes: 4 * 1024 * 1024, farewellMs: 1_000 }

/** [O11.2] So long nothing can be stored before a response ends: its run may never be able to say so itself. */
const TROUBLE_MS = 1_000

/** The OneDragon chat protocol (docs/spec/onedragon-chat.md): one response per input, in messages that are told whole. */
export const onedragonFace: Face = {
  mount({ config, door, sessions, analyses, source, models, modelConfigs, trouble, logger }) {
    if (config.faces.onedragon === false) return
    const options = onedragonSchema.parse(config.faces.onedragon ?? {})
    const storage = new StorageWatch(trouble, TROUBLE_MS)
    const pace = { ...PACE, updateIntervalMs: options.updateIntervalMs }
    door.signedIn((scope) => {
      answerErrors(scope, logger)
      analysisRoute(scope, { analyses, prefix: options.prefix })
      streamRoute(scope, { sessions, source, models, modelConfigs, storage, door, logger, options, pace })
      modelConfigRoutes(scope, { models, modelConfigs, prefix: options.prefix })
    })
  },
}
