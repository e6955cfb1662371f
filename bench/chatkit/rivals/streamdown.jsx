/** Streamdown as it is installed: no plugins, so no colours and no formulas. */
import { Streamdown } from 'streamdown'
import { startHarness } from '../page/harness.ts'
import { rendererContender } from '../page/renderer-contender.ts'

startHarness(rendererContender((text, isStreaming) => <Streamdown isAnimating={isStreaming}>{text}</Streamdown>))
