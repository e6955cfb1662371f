import type { ApiKey, CreatedApiKey } from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type ApiKeysApi = {
  /** The only time the key itself is readable. */
  createApiKey(name: string): Promise<CreatedApiKey>
  listApiKeys(): Promise<ApiKey[]>
  renameApiKey(key_id: string, name: string): Promise<ApiKey>
  /** The key stops working at once and its sockets are closed. */
  deleteApiKey(key_id: string): Promise<void>
}

export function createApiKeysApi(rest: Rest): ApiKeysApi {
  const path = (key_id = '') => `/api/user/api-keys/${encodeURIComponent(key_id)}`
  return {
    createApiKey: (name) => rest.post(path(), { name }),
    listApiKeys: () => rest.get(path()),
    renameApiKey: (key_id, name) => rest.patch(path(key_id), { name }),
    deleteApiKey: async (key_id) => void (await rest.del(path(key_id))),
  }
}
