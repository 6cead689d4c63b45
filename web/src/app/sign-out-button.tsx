import { ActionIcon } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { useSession } from '../session/session-context.ts'

export function SignOutButton() {
  const { signOut } = useSession()
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label="Sign out"
      title="Sign out"
      onClick={signOut}
    >
      <IconLogout size={18} />
    </ActionIcon>
  )
}
