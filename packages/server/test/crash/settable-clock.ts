// Imported before everything else by a server whose wall clock a test sets: at SIGUSR2 it shows what CLOCK_FILE says,
// in milliseconds from the true time, and from its start what CLOCK_OFFSET says. The monotonic clock cannot be set, here as elsewhere.
import { readFileSync } from 'node:fs'

const { CLOCK_FILE = '', CLOCK_OFFSET = '0' } = process.env
const trueTime = Date.now
let offset = Number(CLOCK_OFFSET)
Date.now = () => trueTime() + offset

process.on('SIGUSR2', () => {
  offset = Number(readFileSync(CLOCK_FILE, 'utf8'))
  console.log(`clock ${offset}`)
})
