import { enableCompileCache } from 'node:module'

// Before anything else is loaded: a second start then finds everything compiled, and takes half the time.
enableCompileCache()
const { serve } = await import('./serve.ts')
await serve()
