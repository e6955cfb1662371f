/** Supervises the program in `PROGRAM` with the pace in `PACE`; that of the product where there is none. */
import { type Program, supervise } from '../../src/supervise/supervise.ts'
import type { Pace } from '../../src/supervise/back-off.ts'

const { PROGRAM = '', PACE, ...env } = process.env
const program = JSON.parse(PROGRAM) as Omit<Program, 'env'>
const pace = PACE === undefined ? undefined : (JSON.parse(PACE) as Pace)
process.exit(await supervise({ ...program, env }, pace))
