import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { collectionsQuery, makeCollection } from '../../data/knowledge.ts'
import { routes } from '../../routes.ts'
import { useWords } from '../../texts/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { knowledgeWords } from './words.ts'

/** A name is all that it needs. */
export function NewCollection({ onClose }: { onClose: () => void }) {
  const words = useWords(knowledgeWords)
  const [, go] = useLocation()
  const [name, setName] = useState('')
  const { data: collections = [] } = useQuery(collectionsQuery)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => makeCollection(name.trim()),
    onSuccess() {
      onClose()
      go(routes.collection(name.trim()))
    },
  })
  // Made once more, the server would forget who may find what is in it.
  const isTaken = collections.some((each) => each.name === name.trim())
  const make = () => name.trim() && !isTaken && mutate()
  return (
    <Dialog
      title={words.new}
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" isBusy={isPending} disabled={!name.trim() || isTaken} onClick={make}>
            {words.make}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </>
      }
    >
      <Field label={words.name} hint={words.nameHint} error={isTaken ? words.taken : error?.message}>
        {(control) => (
          <TextInput
            {...control}
            data-focus
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => event.key === 'Enter' && !event.nativeEvent.isComposing && make()}
          />
        )}
      </Field>
    </Dialog>
  )
}
