import type { Face } from '../face.ts'
import { chatPage } from './chat-page.ts'
import { embedScript } from './embed-script.ts'
import { originRoute } from './origin-route.ts'

/** The chat for any page: as a script, and as a page for an iframe. */
export const embedFace: Face = {
  mount({ app, door, config, visits }) {
    const { publicUrl, allowedOrigins } = config
    embedScript(app)
    chatPage(app, { ...config, visits })
    door.signedIn((scope) => originRoute(scope, { publicUrl, allowedOrigins, visits }))
  },
}
