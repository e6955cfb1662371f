// What the alias of the program's build says to the compiler.
declare module '@blade-hq/agent-kit/client' {
  export * from '@parley/agent-kit/client'
}
declare module '@blade-hq/agent-kit/react' {
  export * from '@parley/agent-kit/react'
}
declare module '@blade-hq/agent-kit/chat' {
  export * from '@parley/agent-kit/chat'
}
