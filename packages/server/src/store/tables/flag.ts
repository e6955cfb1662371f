/** 0 or 1: SQLite has no other. */
export type Flag = number
