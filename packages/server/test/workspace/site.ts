import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Session } from '@parley/protocol'
import { type WorkspaceRoutesOptions, workspaceRoutes } from '../../src/workspace/workspace-routes.ts'
import { type Face, openFace } from '../face/face.ts'

export type Site = AsyncDisposable & {
  face: Face
  session_id: string
  /** What was announced, in order. */
  changes: (string | null)[]
  /** Below the session, the path as it is: no parser tidies it. */
  raw(method: string, tail: string, options?: RawOptions): Promise<Answer>
  fetch(method: string, tail: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Response>
  upload(tail: string, form: FormData): Promise<Response>
}

export type RawOptions = { body?: string; headers?: Record<string, string> }
export type Answer = { status: number; headers: Record<string, unknown>; body: string }

/** The workspace routes at the wire, over this directory. */
export async function openSite(workspace: string, limits: WorkspaceRoutesOptions['limits'] = {}): Promise<Site> {
  const changes: (string | null)[] = []
  const face = await openFace({
    features: [
      (scope) =>
        workspaceRoutes(scope, {
          async workspaceOf(user, session_id) {
            await face.sessions.get(user, session_id)
            return workspace
          },
          beforeWrite: async () => undefined,
          changed: (_session_id, path) => changes.push(path),
          limits,
        }),
    ],
  })
  const { id: session_id }: Session = await face.sessions.create({ user_id: face.auth.owner_id }, {})
  const base = `/api/sessions/${session_id}`
  return {
    face,
    session_id,
    changes,
    raw: (method, tail, options) => rawRequest(face, { method, path: base + tail, ...options }),
    fetch: (method, tail, options) => face.request(method, base + tail, options),
    upload: (tail, body) =>
      fetch(`${face.url}${base}/upload${tail}`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${face.key}` },
      }),
    [Symbol.asyncDispose]: () => face[Symbol.asyncDispose](),
  }
}

type RawRequest = RawOptions & { method: string; path: string }

async function rawRequest(face: Face, { method, path, ...options }: RawRequest): Promise<Answer> {
  const { hostname, port } = new URL(face.url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      method,
      path,
      signal: AbortSignal.timeout(10_000),
      headers: {
        authorization: `Bearer ${face.key}`,
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode!, headers: response.headers, body }), reject)
    })
    request.end(options.body)
  })
}
