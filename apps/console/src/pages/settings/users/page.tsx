import { routes } from '../../../routes.ts'
import { Frame, SheetBar } from '../../../shell/frame.tsx'
import { useWords } from '../../../texts/language.ts'
import { UsersSection } from './users-section.tsx'
import { userWords } from './words.ts'

/** The people of this server, at an address of their own. */
export function Page() {
  const words = useWords(userWords)
  return (
    <Frame>
      <SheetBar back={routes.home} title={<h1>{words.title}</h1>} />
      <div className="grow overflow-y-auto">
        <UsersSection />
      </div>
    </Frame>
  )
}
