import type { KnowledgeCollection } from '@parley/protocol/rest'
import { Ellipsis, Trash } from '../../ui/icons.tsx'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { deleteCollection } from '../../data/knowledge.ts'
import { routes } from '../../routes.ts'
import { showToast } from '../../shell/toasts.tsx'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { knowledgeWords } from './words.ts'

/** A collection goes once nothing is in it: what would go with it would go unseen. */
export function CollectionMenu({ collection: { name, documentCount } }: { collection: KnowledgeCollection }) {
  const words = useWords(knowledgeWords)
  const [, go] = useLocation()
  const [isFull, setFull] = useState(false)
  const remove = () => {
    if (documentCount > 0) return setFull(true)
    deleteCollection(name).then(
      () => {
        go(routes.knowledge)
        showToast(words.collectionDeleted(name))
      },
      ({ message }: Error) => showToast(message),
    )
  }
  return (
    <>
      <Menu
        label={words.more(name)}
        items={[
          {
            label: words.deleteCollection,
            icon: <Trash size={16} />,
            isDangerous: true,
            onSelect: remove,
          },
        ]}
      >
        <Ellipsis size={18} />
      </Menu>
      {isFull ? (
        <Dialog
          title={words.notEmpty(name)}
          onClose={() => setFull(false)}
          actions={<Button onClick={() => setFull(false)}>{words.close}</Button>}
        >
          {words.notEmptyText(documentCount)}
        </Dialog>
      ) : null}
    </>
  )
}
