import { join } from 'node:path'
import { makeWorkspace } from './files/make-workspace.ts'
import { storeFile } from './store-file.ts'

/** The workspaces of all sessions, in one directory, each named after its session. */
export class Workspaces {
  readonly directory: string

  constructor(dataDir: string) {
    this.directory = join(dataDir, 'workspaces')
  }

  /** Where it is, made or not. */
  directoryOf(session_id: string): string {
    return join(this.directory, session_id)
  }

  /** Where it is, and it is there. */
  make(session_id: string): Promise<string> {
    return makeWorkspace(this.directoryOf(session_id))
  }

  /** Puts a file that somebody attached into a session's workspace; returns its path there. */
  async storeFile(session_id: string, name: string, bytes: Buffer): Promise<string> {
    return storeFile(await this.make(session_id), name, bytes)
  }
}
