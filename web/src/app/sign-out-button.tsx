import { IconLogout } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { wouldEndSomething } from '../session/sign-out-guard.ts'
import { useSession } from '../session/use-session.ts'
import { frameTexts } from '../texts/frame.ts'
import { IconButton } from '../ui/icon-button.tsx'

const Confirm = lazy(async () => {
  const { Confirm } = await import('../ui/confirm.tsx')
  return { default: Confirm }
})

export function SignOutButton() {
  const { signOut } = useSession()
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <IconButton
        label={frameTexts.signOut}
        size="lg"
        data-sign-out
        onClick={() => {
          if (wouldEndSomething()) setIsAsking(true)
          else void signOut()
        }}
      >
        <IconLogout size={18} />
      </IconButton>
      {isAsking && (
        <Suspense fallback={null}>
          <Confirm
            isOpen
            title={frameTexts.signOutAsk}
            action={frameTexts.signOut}
            onConfirm={() => void signOut()}
            onClose={() => setIsAsking(false)}
          >
            {frameTexts.signOutCancels}
          </Confirm>
        </Suspense>
      )}
    </>
  )
}
