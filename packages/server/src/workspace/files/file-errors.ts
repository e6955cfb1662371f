import { AgentError } from '@parley/protocol'

/** What the system's refusals mean to somebody who only knows the workspace. Its own words would name paths of ours. */
const MEANINGS: Record<string, { code: AgentError['code']; says: (path: string) => string }> = {
  ENOENT: { code: 'not_found', says: (path) => `${path} does not exist.` },
  ENOTDIR: { code: 'invalid_path', says: (path) => `${path}: a part of the path is a file, not a directory.` },
  EISDIR: { code: 'invalid_path', says: (path) => `${path} is a directory.` },
  EEXIST: { code: 'invalid_path', says: (path) => `${path} exists already.` },
  ENOTEMPTY: { code: 'invalid_path', says: (path) => `${path} is not empty.` },
  ELOOP: { code: 'invalid_path', says: (path) => `${path} is a link where a file was expected.` },
  ENXIO: { code: 'invalid_path', says: (path) => `${path} is not a regular file.` },
  ENAMETOOLONG: { code: 'invalid_path', says: (path) => `${path.slice(0, 80)}… is too long a name.` },
  EINVAL: { code: 'invalid_path', says: (path) => `${path} cannot be used that way.` },
  EACCES: { code: 'forbidden', says: (path) => `The server may not touch ${path}.` },
  EPERM: { code: 'forbidden', says: (path) => `The server may not touch ${path}.` },
  EROFS: { code: 'forbidden', says: () => 'The workspace is read-only.' },
  ENOSPC: { code: 'storage_full', says: (path) => `There is no space left for ${path}.` },
  EIO: { code: 'storage_unavailable', says: (path) => `The disk reports an error with ${path}.` },
  EDQUOT: { code: 'storage_full', says: (path) => `There is no space left for ${path}.` },
}

/** Runs file work on `path`; a refusal of the system comes out as an `AgentError` with a sentence. */
export async function speakingOf<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const meaning = MEANINGS[(error as NodeJS.ErrnoException | undefined)?.code ?? '']
    throw meaning ? new AgentError(meaning.code, meaning.says(path), { cause: error }) : error
  }
}
