import { prepareAll } from './prepare.mjs'

await prepareAll()
