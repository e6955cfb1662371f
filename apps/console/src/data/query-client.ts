import { ParleyApiError } from '@parley/client'
import { QueryClient } from '@tanstack/react-query'

/** Everything the server said, once. What it refused is not asked again by itself; what did not arrive is. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => !(error instanceof ParleyApiError) && count < 3,
      refetchOnReconnect: true,
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
