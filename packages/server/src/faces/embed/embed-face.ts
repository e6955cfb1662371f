import type { Face } from '../face.ts'
import { chatPage } from './chat-page.ts'
import { embedScript } from './embed-script.ts'

/** The chat for any page: as a script, and as a page for an iframe. */
export const embedFace: Face = {
  mount({ app, config }) {
    embedScript(app)
    chatPage(app, config)
  },
}
