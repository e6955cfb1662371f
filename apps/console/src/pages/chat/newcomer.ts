/** What only newcomers see: one chunk. */
export { FirstSteps, NextStep } from './first-steps.tsx'
export { CrashPanel } from './survive/crash-panel.tsx'
