import type { NextConfig } from 'next';

const config: NextConfig = {
  poweredByHeader: false,
  // A copy of this folder is a project of its own, wherever it lies.
  turbopack: { root: import.meta.dirname },
  headers: async () => [
    {
      source: '/:path*',
      headers: [
        {
          key: 'Content-Security-Policy',
          value: "frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
        },
      ],
    },
  ],
};

export default config;
