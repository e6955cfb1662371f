/** What `parley knowledge` says, in both languages. */
import type { LeftOut } from './find-files.ts'

export type Summary = Record<'added' | 'changed' | 'unchanged' | 'failed' | 'missing' | 'deleted', number>

export const KNOWLEDGE_WORDS = {
  en: {
    none: 'No documents.',
    nothingFound: 'Nothing found.',
    noSuchPath: (path: string) => `${path} is not there, or cannot be read.`,
    noFiles: (path: string) => `${path} holds no documents (.md .markdown .txt .html .htm .pdf).`,
    tooMany: (path: string, most: number) =>
      `${path} holds more than ${most} documents. Add its folders one at a time.`,
    tooLarge: (megabytes: number) => `larger than ${megabytes} MiB`,
    status: { added: 'added', changed: 'changed', unchanged: 'unchanged', failed: 'failed' },
    unread: 'this folder cannot be read',
    away: 'The server does not respond; trying again for a minute …',
    progress: (done: number, all: number) => `${done} of ${all}`,
    done: ({ added, changed, unchanged, failed }: Summary) =>
      `${added} added, ${changed} changed, ${unchanged} unchanged${failed > 0 ? `, ${failed} failed` : ''}.`,
    leftOut: ({ hidden, links, kinds }: LeftOut) =>
      `Left out: ${hidden} hidden, ${links} links to elsewhere, ${kinds} of another kind.`,
    missing: (count: number) =>
      `${count} documents of the collection are no longer there; --delete-missing deletes them.`,
    deletedMissing: (count: number) => `${count} documents that are no longer there were deleted.`,
    keptMissing: 'Not everything could be read, so nothing was deleted.',
    deleteSure: (id: string) => `Delete document ${id}? [y/N] `,
    deleted: (id: string) => `Deleted ${id}.`,
    sources: (list: string) => `Sources: ${list}`,
    columns: { id: 'ID', title: 'TITLE', category: 'CATEGORY', collection: 'COLLECTION', source: 'SOURCE' },
  },
  zh: {
    none: '没有文档。',
    nothingFound: '没有找到相关内容。',
    noSuchPath: (path: string) => `${path} 不存在或无法读取。`,
    noFiles: (path: string) => `${path} 中没有文档（.md .markdown .txt .html .htm .pdf）。`,
    tooMany: (path: string, most: number) => `${path} 中的文档超过 ${most} 个。请逐个添加其中的文件夹。`,
    tooLarge: (megabytes: number) => `超过 ${megabytes} MiB`,
    status: { added: '新增', changed: '更新', unchanged: '未变', failed: '失败' },
    unread: '无法读取此文件夹',
    away: '服务器没有响应，将在一分钟内重试 …',
    progress: (done: number, all: number) => `${done} / ${all}`,
    done: ({ added, changed, unchanged, failed }: Summary) =>
      `新增 ${added} 个，更新 ${changed} 个，未变 ${unchanged} 个${failed > 0 ? `，失败 ${failed} 个` : ''}。`,
    leftOut: ({ hidden, links, kinds }: LeftOut) =>
      `已忽略：隐藏的 ${hidden} 个，指向别处的链接 ${links} 个，其他类型 ${kinds} 个。`,
    missing: (count: number) => `集合中有 ${count} 个文档在目录里已不存在；用 --delete-missing 删除。`,
    deletedMissing: (count: number) => `已删除 ${count} 个在目录里不存在的文档。`,
    keptMissing: '有内容无法读取，因此没有删除任何文档。',
    deleteSure: (id: string) => `删除文档 ${id}？[y/N] `,
    deleted: (id: string) => `${id} 已删除。`,
    sources: (list: string) => `来源：${list}`,
    columns: { id: 'ID', title: '标题', category: '类别', collection: '集合', source: '来源' },
  },
}
