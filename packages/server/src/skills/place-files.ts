import { openFile } from '../workspace/files/open-file.ts'
import { replaceFile } from '../workspace/files/replace-file.ts'
import { listFiles, readFiles, type SkillFile } from './read-skill.ts'
import { type Skill, workspaceFolder } from './skill.ts'
import { isServersFile } from './skill-path.ts'

/**
 * Copies the files of a skill into a workspace, where an agent can read them and run its scripts in the sandbox. What is
 * there already stays. Returns their paths in the workspace.
 */
export async function placeFiles(
  { id, directory }: Pick<Skill, 'id' | 'directory'>,
  workspace: string,
  signal: AbortSignal,
): Promise<string[]> {
  const paths: string[] = []
  for await (const file of readFiles(
    directory,
    (await listFiles(directory)).filter((path) => !isServersFile(path)),
  )) {
    signal.throwIfAborted()
    const path = `${workspaceFolder(id)}/${file.path}`
    if (!(await isThere(workspace, path, file))) await place(workspace, path, file)
    paths.push(path)
  }
  return paths
}

async function place(workspace: string, path: string, { content, isExecutable }: SkillFile): Promise<void> {
  await replaceFile(workspace, path, {
    async fill(file) {
      await file.writeFile(content)
      if (isExecutable) await file.chmod(0o755)
    },
  })
}

async function isThere(workspace: string, path: string, { content }: SkillFile): Promise<boolean> {
  try {
    await using there = await openFile(workspace, path)
    if (there.stats.size !== content.length) return false
    const { buffer, bytesRead } = await there.handle.read(Buffer.alloc(content.length), 0, content.length, 0)
    return content.equals(buffer.subarray(0, bytesRead))
  } catch {
    // Missing, or nothing that could be read: `place` decides what to say.
    return false
  }
}
