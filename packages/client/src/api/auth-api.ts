import type { CreatedToken, CreateToken, Identity, TokenPage, TokenQuery } from '@parley/protocol/rest'
import type { Query, Rest } from '../rest/rest.ts'

export type AuthApi = {
  getMe(): Promise<Identity>
  /** For back ends, with an API key: a short-lived token for one of their visitors. Browsers get this, never the key. */
  createToken(token: CreateToken): Promise<CreatedToken>
  /** Those that are good now, without the tokens themselves. */
  listTokens(query?: TokenQuery): Promise<TokenPage>
  /** It stops working at once and its sockets are closed. */
  revokeToken(id: string): Promise<void>
  /** All of a visitor. */
  revokeTokensOf(subject: string): Promise<{ revoked: number }>
}

export function createAuthApi(rest: Rest): AuthApi {
  const path = '/api/auth/tokens'
  return {
    getMe: () => rest.get('/api/auth/me'),
    createToken: (token) => rest.post(path, token),
    listTokens: (query = {}) => rest.get(path, { query: { ...query } as Query }),
    revokeToken: async (id) => void (await rest.del(`${path}/${encodeURIComponent(id)}`)),
    revokeTokensOf: (subject) => rest.del(path, { query: { subject } }),
  }
}
