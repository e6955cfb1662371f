/** Who sent a message. The upper-case names are for code written against the published kit. */
export const RoleType = { User: 'User', Assistant: 'Assistant', USER: 'User', ASSISTANT: 'Assistant' } as const

export type RoleType = (typeof RoleType)[keyof typeof RoleType]

// Types only, so that `RoleType.User` also works in type position.
export declare namespace RoleType {
  export type User = 'User'
  export type Assistant = 'Assistant'
  export type USER = 'User'
  export type ASSISTANT = 'Assistant'
}

export type Role = {
  /** Assistant: "AI 助手", localised, or the adapter's better name. User: the display name. */
  name: string
  type: RoleType
  /** An http(s) URL, a `data:image/…` URI, bare Base64, or an SVG document; `''`: initials or a built-in icon. */
  avatar: string
}
