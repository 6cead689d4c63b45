import { Button, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'

export function NotFoundPage() {
  return (
    <Stack align="flex-start" gap="sm" p="lg">
      <Title order={1} size="h2">
        There is no such page
      </Title>
      <Text>The address may be of an older version, or mistyped.</Text>
      <Button component={Link} href="/">
        Go to the overview
      </Button>
    </Stack>
  )
}
