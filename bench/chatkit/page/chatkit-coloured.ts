import { chatKitContender } from './chatkit-contender.ts'
import { startHarness } from './harness.ts'

startHarness(chatKitContender())
