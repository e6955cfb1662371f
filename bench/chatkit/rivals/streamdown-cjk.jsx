/** Streamdown with its plugin for Chinese, Japanese and Korean. */
import { cjk } from '@streamdown/cjk'
import { Streamdown } from 'streamdown'
import { startHarness } from '../page/harness.ts'
import { rendererContender } from '../page/renderer-contender.ts'

const plugins = { cjk }
const draw = (text, isStreaming) => (
  <Streamdown isAnimating={isStreaming} plugins={plugins}>
    {text}
  </Streamdown>
)

startHarness(rendererContender(draw))
