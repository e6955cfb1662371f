export { defineTool } from './define-tool.ts'
export type { JsonSchema, ValueOf } from './json-schema.ts'
export type { Json, OwnTool, ToolContext, ToolOptions } from './tool.ts'
