import { chatKitContender } from './chatkit-contender.ts'
import { startHarness } from './harness.ts'
import { noColours } from './no-colours.ts'

startHarness(chatKitContender(noColours))
