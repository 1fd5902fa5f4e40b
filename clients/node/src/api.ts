// Made from docs/openapi.json by `npm run generate`. Do not edit.

export interface paths {
    "/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set up the gateway
         * @description Makes the first operator, a project and (unless `credentials` is `false`) credentials for both, and signs the operator in. Works once, with the token that the gateway prints at its start or takes from SETUP_TOKEN.
         *
         *     Open to all.
         */
        post: operations["setUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description The browsers in which you are signed in.
         *
         *     For an operator.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Sign in
         * @description Sets the session cookie, which stands for the operator from then on: twelve hours after its last use at most, seven days in all. With the cookie, a request that changes something must come from a page of the gateway. Where a request has an `Authorization` field, the cookie is not looked at.
         *
         *     Open to all.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description Ends one of your sessions, at once; `current` is the one that asks.
         *
         *     For an operator.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-in-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how operators can sign in
         * @description Open to all.
         */
        get: operations["getSignInOptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who you are
         * @description For an operator.
         */
        get: operations["getOwnOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change your name, language or password
         * @description A new password ends all your sessions except this one, which gets a new cookie. Personal access tokens end too where `endTokens` is true, and stay otherwise. A first password takes a sign-in of the last ten minutes.
         *
         *     For an operator.
         */
        patch: operations["updateOwnOperator"];
        trace?: never;
    };
    "/gateway/owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the owners of the gateway
         * @description For an operator.
         */
        get: operations["listGatewayOwners"];
        put?: never;
        /**
         * Make an operator an owner of the gateway
         * @description An operator whose e-mail address is verified. Takes your password; an operator without one must have signed in within the last ten minutes.
         *
         *     For an operator.
         */
        post: operations["addGatewayOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gateway/owners/{operatorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an owner of the gateway
         * @description The operator stays what they are in projects. The last owner cannot go.
         *
         *     For an operator.
         */
        delete: operations["removeGatewayOwner"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to use a second factor
         * @description It counts once a first code confirms it. Takes the password, of signed-in operators only; an operator without a password must have signed in within the last ten minutes.
         *
         *     For an operator.
         */
        post: operations["createOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/otp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the second factor with a first code
         * @description For an operator.
         */
        post: operations["confirmOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/otp/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop using a second factor
         * @description For an operator.
         */
        post: operations["disableOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/password-resets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link to a new password
         * @description The link is mailed where the gateway sends mails and an operator has this address. The answer is the same where not. It works once, for an hour.
         *
         *     Open to all.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/password-resets/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with a link
         * @description Ends every session and personal access token of the operator and signs this browser in. An account with a second factor needs its code, too. Where the address was not verified, it is now, and whatever was made before ends, the second factor included.
         *
         *     Open to all.
         */
        post: operations["completePasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/personal-access-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your personal access tokens
         * @description For an operator.
         */
        get: operations["listPersonalAccessTokens"];
        put?: never;
        /**
         * Create a personal access token
         * @description It may do whatever you may. Takes your password, also where a token asks; an operator without a password must have signed in within the last ten minutes. Without `expiresAt` it ends in 90 days. Where the gateway sends mails, you get one about it.
         *
         *     For an operator.
         */
        post: operations["createPersonalAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/personal-access-tokens/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a personal access token
         * @description Makes a new token of the same name and addresses; the old one goes on for `overlapSeconds`, a day when left out. Takes your password, as creating does, so that a stolen token cannot prolong itself.
         *
         *     For an operator.
         */
        post: operations["rotatePersonalAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/personal-access-tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a personal access token
         * @description For an operator.
         */
        delete: operations["revokePersonalAccessToken"];
        options?: never;
        head?: never;
        /**
         * Change a personal access token
         * @description Counts from its next request, on every replica. Other addresses take your password, as creating does, so that a stolen token cannot free itself.
         *
         *     For an operator.
         */
        patch: operations["updatePersonalAccessToken"];
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Those that you are a member of; an API key sees its own.
         *
         *     For an operator or a project API key. An API key needs `projects:read`.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description You become its owner. It starts with a managed signing key, for minting user tokens.
         *
         *     For an operator.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a project
         * @description For an operator or a project API key. An API key needs `projects:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description With everything in it: keys, integrations and users. Its owners go on reading its audit log. Refused while connections exist; with `force=true` all ends at once, and is erased and revoked at the providers in the background.
         *
         *     For an operator.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Lists, limits and branding are replaced as a whole. Takes effect at once on every replica. Connect sessions that are open to an origin or return URL which is taken out end.
         *
         *     For an operator or a project API key. An API key needs `projects:write`.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/projects/{projectId}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Freeze a project
         * @description On every replica within a second: proxied calls and those of agents are answered `423 project_frozen`, nothing is refreshed, polled or delivered. Calls under way end as they would. Webhooks are kept, and worked through afterwards. Nothing is revoked: see `revoke-all`. A project that is frozen stays so, with the first reason.
         *
         *     For an operator or a project API key. An API key needs `projects:write`.
         */
        post: operations["freezeProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/unfreeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a frozen project go on
         * @description Deliveries and polls go on where they were. A project that is not frozen stays as it is.
         *
         *     For an operator or a project API key. An API key needs `projects:write`.
         */
        post: operations["unfreezeProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of a project
         * @description For an operator.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Invite an operator to a project
         * @description Only an operator whose e-mail address is verified; everybody else is invited by a link. The reply has `status: invited`: the membership begins when the operator accepts the invitation, in the dashboard or by `POST /v1/operators/me/invitations/{id}/accept`. Until then nothing of the operator changes, and the list of members is without them.
         *
         *     For an operator.
         */
        post: operations["addMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/members/{operatorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Counts from the member’s next request; their sessions go on. Members of any role may remove themselves; the last owner cannot go. Open invitations that they made are withdrawn. Keys that they made go on working: `Gateway-Live-Keys` counts them, and `createdBy` of the API keys says which.
         *
         *     For an operator.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change a member’s role
         * @description Counts from the member’s next request; their sessions go on, and who changes their own role in a browser gets a new cookie there. Open invitations that the member made and may not make any more are withdrawn. Keys that the member made go on working; the reply counts them.
         *
         *     For an operator.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/projects/{projectId}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users of a project
         * @description Maps your own user ids to `integrationUserId`, and back, for users that were seen before.
         *
         *     For an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description Who did what, newest first: of the projects that you are a member of, or owned when they were deleted (a key: its own), and what you did to your own credentials.
         *
         *     For an operator or a project API key. An API key needs `activity:read`.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/activity/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description The same entries as CSV or JSON lines, the newest 100,000 at most; ask for what is older with `to`; two at a time. In CSV, text that a spreadsheet would take for a formula begins with an apostrophe.
         *
         *     For an operator or a project API key. An API key needs `activity:read`.
         */
        get: operations["exportActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the open invitations of a project
         * @description For an operator.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite an operator to a project
         * @description Makes a link that works once, for seven days, and mails another one where the gateway sends mails: who opens that one has the address. An operator with this address, verified, can accept in the dashboard as well. A newer invitation of the same address replaces the older one. Sixty an hour by an operator, a hundred to a project and five of an address are allowed.
         *
         *     For an operator.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw an invitation
         * @description For an operator.
         */
        delete: operations["deleteInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read what an invitation is for
         * @description Open to all.
         */
        post: operations["lookUpInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects that you are invited to
         * @description Where your address is not verified, the list is empty: accept by the link of the invitation.
         *
         *     For an operator.
         */
        get: operations["listOwnInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/invitations/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join a project that you are invited to
         * @description For an operator.
         */
        post: operations["acceptOwnInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operators/me/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Decline an invitation
         * @description For an operator.
         */
        delete: operations["declineInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Without an account of its address it makes one, with the given password. With one, the browser must be signed in to it, or its password (and code) be given. The link of a mail proves the address: an account that had not proved it gets the given password, and whatever was made in it before ends. Signs this browser in.
         *
         *     Open to all.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of a project
         * @description For an operator.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Without `scopes` it may do everything, without `allowedAddresses` from anywhere, and without `expiresAt` it works until it is revoked.
         *
         *     For an operator.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key
         * @description Makes a new key of the same name, scopes, addresses and length of life; the old one goes on for `overlapSeconds`, a day when left out.
         *
         *     For an operator.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an API key
         * @description What is known of it; the key itself is not kept.
         *
         *     For an operator.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description For an operator.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Change what an API key may do
         * @description Counts from the key’s next request, on every replica. The audit log has what was before.
         *
         *     For an operator.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/projects/{projectId}/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the signing keys of a project
         * @description For an operator.
         */
        get: operations["listSigningKeys"];
        put?: never;
        /**
         * Add a signing key
         * @description A public key whose private half your application signs user tokens with; the JWKS URL of your identity provider; or one more key that the gateway holds for minting.
         *
         *     For an operator.
         */
        post: operations["createSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/signing-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a signing key
         * @description Tokens signed with it are refused at once.
         *
         *     For an operator.
         */
        delete: operations["revokeSigningKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/signing-keys/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try the address of a key set
         * @description Fetches the key set as the gateway would, and shows which of its keys can verify user tokens. Nothing is kept. Thirty times in ten minutes.
         *
         *     For an operator.
         */
        post: operations["testKeySet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint a user token
         * @description A JWT for one user of the project, signed (ES256) with its newest managed key. Operators need the role owner or admin, and the audit log records each.
         *
         *     For a project API key or an operator. An API key needs `users:tokens`.
         */
        post: operations["createUserToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List revocations of user tokens
         * @description Those in force. One is forgotten when no token that it concerns can be alive.
         *
         *     For an operator or a project API key. An API key needs `users:tokens`.
         */
        get: operations["listRevocations"];
        put?: never;
        /**
         * Revoke user tokens
         * @description One token by its `jti`, the tokens of a user, or everyone’s. Within a second every replica refuses them with `401 token_revoked`. Tokens carry their time of issue in whole seconds: one that is issued in the same second as the revocation is refused as well.
         *
         *     For an operator or a project API key. An API key needs `users:tokens`.
         */
        post: operations["createRevocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/revocations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a revocation of user tokens
         * @description For an operator or a project API key. An API key needs `users:tokens`.
         */
        get: operations["getRevocation"];
        put?: never;
        post?: never;
        /**
         * Take back a revocation of user tokens
         * @description Tokens that are revoked for no other reason are good again.
         *
         *     For an operator or a project API key. An API key needs `users:tokens`.
         */
        delete: operations["deleteRevocation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/mandates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the mandates of a project
         * @description For an operator or a project API key. An API key needs `mandates`.
         */
        get: operations["listMandates"];
        put?: never;
        /**
         * Create a mandate
         * @description Tokens refer to it by the claim `gateway_mandate`, or `mandateId` when they are minted.
         *
         *     For an operator or a project API key. An API key needs `mandates`.
         */
        post: operations["createMandate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/mandates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a mandate
         * @description For an operator or a project API key. An API key needs `mandates`.
         */
        get: operations["getMandate"];
        put?: never;
        post?: never;
        /**
         * Delete a mandate
         * @description Tokens that refer to it may do nothing any more. Refused for the one that the sign-in for agents names.
         *
         *     For an operator or a project API key. An API key needs `mandates`.
         */
        delete: operations["deleteMandate"];
        options?: never;
        head?: never;
        /**
         * Change or freeze a mandate
         * @description Acts on every token that refers to it, on every replica, within a second.
         *
         *     For an operator or a project API key. An API key needs `mandates`.
         */
        patch: operations["updateMandate"];
        trace?: never;
    };
    "/mandates/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain what a mandate makes of a call
         * @description Which entry allows the call, or why none does, for each entry. Calls nothing; hourly limits are left out.
         *
         *     For an operator or a project API key. An API key needs `mandates`.
         */
        post: operations["explainMandate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/revoke-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke everything that users have granted
         * @description Erases every connection of the project with its credentials, and revokes the grants at the providers, in the background; users have to connect again. The report at `Location` ends `done` and says what could not be revoked. While one runs, asking again answers its report. Freeze the project first where nothing may happen meanwhile; a frozen project is revoked as well. Integrations and their client secrets stay.
         *
         *     For an operator or a project API key. An API key needs `projects:write` and `connections:write`.
         */
        post: operations["revokeAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/revocation-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reports of revoking everything
         * @description For as long as the audit log is kept.
         *
         *     For an operator or a project API key. An API key needs `projects:read`.
         */
        get: operations["listRevocationReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/revocation-reports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the report of revoking everything
         * @description For an operator or a project API key. An API key needs `projects:read`.
         */
        get: operations["getRevocationReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List providers
         * @description The providers that an integration can be made for, by name; those that the project describes itself come last.
         *
         *     For an operator or a project API key or an end user. An API key needs no scope.
         */
        get: operations["listProviders"];
        put?: never;
        /**
         * Describe a provider of your own
         * @description Takes the fields of a provider file as JSON. The provider belongs to the project and is called `custom:<id>` everywhere; here the id may come with or without that prefix. With `dryRun=true` nothing is stored: the reply shows every request that the provider would get.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        post: operations["createProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a provider
         * @description For an operator or a project API key or an end user. An API key needs no scope.
         */
        get: operations["getProvider"];
        put?: never;
        post?: never;
        /**
         * Delete a provider of your own
         * @description Refused while integrations use it.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        delete: operations["deleteProvider"];
        options?: never;
        head?: never;
        /**
         * Change a provider of your own
         * @description Each field takes the place of the one before, null takes it away. Connections follow at once. While there are integrations, an operator alone may name hosts that were not named before, since secrets and tokens go there. The id stays, and while there are integrations so do the grants that they use, their kinds of authorization, and which variables are secret.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        patch: operations["updateProvider"];
        trace?: never;
    };
    "/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all providers in brief
         * @description Every provider in one reply, by name, with no more than choosing one takes; own ones come last.
         *
         *     For an operator or a project API key or an end user. An API key needs no scope.
         */
        get: operations["summarizeProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/provider-files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the files that contribute a provider
         * @description Takes the description of a provider and where its facts were found, and answers a file of the catalog and a test of it. The description is judged as the catalog’s files are. Nothing is stored or sent.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        post: operations["createProviderFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List integrations
         * @description The integrations of the principal’s project (an operator: of every project they are a member of).
         *
         *     For an operator or a project API key or an end user. An API key needs `integrations:read`.
         */
        get: operations["listIntegrations"];
        put?: never;
        /**
         * Create an integration
         * @description Configures a provider for a project with the client id, client secret and scopes of the app registered there.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        post: operations["createIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an integration
         * @description For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["getIntegration"];
        put?: never;
        post?: never;
        /**
         * Delete an integration
         * @description Refused while connections exist; with `force=true` they end at once, and are erased and revoked at the provider in the background.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        delete: operations["deleteIntegration"];
        options?: never;
        head?: never;
        /**
         * Change an integration
         * @description A new client or webhook secret takes effect at once; the one before is still tried for seven days. `variables` takes the place of those that were there, less the secret ones, which stay until they are named.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        patch: operations["updateIntegration"];
        trace?: never;
    };
    "/integrations/{id}/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the OAuth clients of organizations
         * @description Without their secrets. One that was replaced or deleted is not among them.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["listOrganizationClients"];
        put?: never;
        /**
         * Give an organization an OAuth client of its own
         * @description What the organization connects from now on is authorized with its own app at the provider, and refreshed and revoked with it for as long as it lives. Connections that it has already stay with the client that made them. Users’ own connections are not concerned.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        post: operations["createOrganizationClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/clients/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the OAuth client of an organization
         * @description For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["getOrganizationClient"];
        put?: never;
        post?: never;
        /**
         * Take the OAuth client of an organization away
         * @description What the organization connects from now on is authorized with the client of the integration. The gateway keeps this one, sealed, for the connections that it made, until the last of them is gone.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        delete: operations["deleteOrganizationClient"];
        options?: never;
        head?: never;
        /**
         * Change the OAuth client of an organization
         * @description Another `clientId`, which needs its `clientSecret`, or other `variables` count for what is authorized from now on: connections that are there go on with the client that made them. A new `clientSecret` alone is the same client’s and counts for them as well; the one before is still tried for seven days. Secret variables stay until they are named.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        patch: operations["updateOrganizationClient"];
        trace?: never;
    };
    "/integrations/{id}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is known of the secrets
         * @description When each secret was set, last accepted and last refused by the provider; never the secret.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["listIntegrationSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/secrets/{secretId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Drop the older secret
         * @description Ends the overlap of a rotation before its seven days are over. The newer secret stays.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        delete: operations["deleteIntegrationSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/configuration/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the JSON Schema of configuration files
         * @description For editors: `# yaml-language-server: $schema=<this address>` in the first line of a file.
         *
         *     Open to all.
         */
        get: operations["getConfigurationSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/configuration/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export a project as a file
         * @description With references in the place of secrets. With `Accept: application/yaml` the answer is the file itself. Members are for operators alone.
         *
         *     For an operator or a project API key. An API key needs `configuration:read`.
         */
        post: operations["exportConfiguration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/configuration/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare a project with a file
         * @description What an apply of the file would change; nothing is changed. Secrets are compared for those alone who may apply. The body may be the file itself, as `application/yaml`.
         *
         *     For an operator or a project API key. An API key needs `configuration:read`.
         */
        post: operations["planConfiguration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/configuration/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a project what a file says
         * @description In one transaction, by the rules of the other operations, whose refusals it gives. Objects that an earlier file listed and this one does not are deleted; those that were made by hand stay. With a body in YAML `stateHash` is a parameter of the address.
         *
         *     For an operator or a project API key. An API key needs `configuration:write`.
         */
        post: operations["applyConfiguration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/configuration/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find what was changed by hand
         * @description Compares the objects that files manage with what the last apply made of them; with a file, with what that says.
         *
         *     For an operator or a project API key. An API key needs `configuration:read`.
         */
        post: operations["findConfigurationDrift"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what files manage in a project
         * @description With what was changed by hand since.
         *
         *     For an operator or a project API key. An API key needs `configuration:read`.
         */
        get: operations["getConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the authenticated user’s connections
         * @description Those of the user, and those of the organization that the token names. An operator sees the test connections made as themself. An API key has no user of its own.
         *
         *     For an end user or an operator.
         */
        get: operations["listConnections"];
        put?: never;
        /**
         * Import existing credentials
         * @description Brings a user’s credentials over from another system. The provider is asked whether it takes keys and passwords, where the catalog knows a request that proves them; access tokens of OAuth 2.0 are taken as they are.
         *
         *     For an operator or a project API key. An API key needs `connections:import`.
         */
        post: operations["importConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a project’s connections
         * @description For an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["listProjectConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a connection
         * @description For an end user or an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["getConnection"];
        put?: never;
        post?: never;
        /**
         * Disconnect
         * @description Erases the credentials and revokes the grant at the provider where it has a way to (RFC 7009).
         *
         *     For an end user or an operator or a project API key. An API key needs `connections:write`.
         */
        delete: operations["deleteConnection"];
        options?: never;
        head?: never;
        /**
         * Change a connection’s metadata, tags or tenant
         * @description `customMetadata` is merged as a JSON Merge Patch (RFC 7396); the result may have 16 KiB; so are `tags`, of which there are 20 at most. `tenantId` is one that `GET /v1/connections/{id}/tenants` lists: calls go there from now on, and polls begin again with its records.
         *
         *     For an end user or an operator or a project API key. An API key needs `connections:write`.
         */
        patch: operations["updateConnection"];
        trace?: never;
    };
    "/connections/{id}/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tenants that a connection may be moved to
         * @description The sites, organizations or accounts that the grant reaches, as the provider lists them now. For providers whose entry in the catalog has `tenants`.
         *
         *     For an end user or an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["listConnectionTenants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start connecting an account
         * @description Makes a single-use link (10 minutes; 30 for `completion: "link"`) on which the end user authorizes. Name a provider, an integration, or neither to let the user choose. An operator connects test accounts as themself, and makes links (`completion: "link"`, with `connectionId`) on which a user re-authorizes.
         *
         *     For an end user or a project API key or an operator. An API key needs `connect`.
         */
        post: operations["createConnectSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connect-sessions/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a connection
         * @description Brings the one-time code of the closing page together with a token of the same user (or the API key that made the session). Until then the connection is neither usable nor listed; after ten minutes its tokens are revoked and erased. The code counts once; a request whose answer was lost is repeated with the same `Idempotency-Key`.
         *
         *     For an end user or a project API key or an operator. An API key needs `connect`.
         */
        post: operations["completeConnectSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/branding/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See a connect page in a branding
         * @description The hosted page with the branding of the query; without a name there, that of the project. It takes no input and connects nothing.
         *
         *     For an operator.
         */
        get: operations["previewBranding"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/diagnosis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Diagnose an integration
         * @description What is wrong and what to do about it. The provider is asked at most every ten minutes; `refresh=true` asks again (owners, admins and API keys with `integrations:write`), at most every ten seconds.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["diagnoseIntegration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a client before it is saved
         * @description Asks the provider whether it accepts this client. Nothing is stored.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        post: operations["probeClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/connect-attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far users come when they connect
         * @description How many connect sessions of the last days were opened, sent to the provider, came back and were completed, and why others failed.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["listConnectAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far users come when they connect
         * @deprecated
         * @description Deprecated since 2026-11-27, may be gone from 2027-06-01. Call `GET /integrations/{id}/connect-attempts`, which answers the same.
         *
         *     How many connect sessions of the last days were opened, sent to the provider, came back and were completed, and why others failed.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["listSignIns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What deleting the integration would break
         * @description For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["showIntegrationImpact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What deleting the project would break
         * @description For an operator or a project API key. An API key needs `projects:read`.
         */
        get: operations["showProjectImpact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/integration-states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the integrations of a project do
         * @description In brief, from what is known: no provider is asked. For a list; the diagnosis of each has the rest. At most 1,000, the newest first.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["listIntegrationStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/provider-evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what worked at providers
         * @description How often authorizations, refreshes, probes, signatures of webhooks and polls succeeded in this project, by provider and version of its description: counts and dates alone. Nothing of it leaves the gateway by itself.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["listProviderEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What in a project needs a person
         * @description How its integrations do, secrets that end, destinations that take nothing, and how far it is on its way to the first call. From what is known: no provider is asked.
         *
         *     For an operator or a project API key. An API key needs `integrations:read` and `events:read`.
         */
        get: operations["showProjectOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connections/{id}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of a connection
         * @description Expiry, the last answer to a refresh, scopes, and the findings that follow. Nothing is asked.
         *
         *     For an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["showConnectionHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connections/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a connection
         * @description Asks the provider whether it accepts the credential: by the catalog’s account call, or else by refreshing the access token.
         *
         *     For an operator or a project API key. An API key needs `connections:write`.
         */
        post: operations["testConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the numbers of proxied calls
         * @description Calls, errors by origin and percentiles over time. They are counted in memory and stored every few seconds: what a process counted last is missing until then.
         *
         *     For an operator or a project API key. An API key needs `activity:read`.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recent proxied calls
         * @description Failures, slow calls and a sample of the others, kept for some days. Never a query, a body or a header value.
         *
         *     For an operator or a project API key. An API key needs `activity:read`.
         */
        get: operations["listCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/calls/{requestId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a proxied call by its request id
         * @description For an operator or a project API key. An API key needs `activity:read`.
         */
        get: operations["getCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/mandate-uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the uses of mandates by name
         * @description Of the project’s newest 10,000 calls under mandates that are kept: failures, slow calls and a sample of the others. Mandates that none of these had are left out.
         *
         *     For an operator or a project API key. An API key needs `activity:read`.
         */
        get: operations["sumMandateUses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/mandate-uses/{mandateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who used a mandate
         * @description By user, actor and provider. Of the project’s newest 10,000 calls under mandates that are kept: failures, slow calls and a sample of the others.
         *
         *     For an operator or a project API key. An API key needs `activity:read`.
         */
        get: operations["listMandateUses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/tail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow proxied calls and activity
         * @description Server-sent events of all processes, for five minutes: `begin`, `call` (a Call), `activity` (an Activity), `dropped` (`{ calls }`: more calls than can be shown) and `end` (`{ reason }`). A reader that is too slow is cut off.
         *
         *     For an operator or a project API key. An API key needs `activity:read`.
         */
        get: operations["tailProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the events of a project
         * @description The oldest first, in one order that never shows an event before an earlier one. Keep `nextAfter` and send it as `after`: you see each event at least once, and none is skipped. With `wait`, the request stays open until there is an event.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the latest events of a project
         * @description The newest first, for people who look. An application reads `GET /v1/events`, which never skips one.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["listLatestEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the types of events that came
         * @description Of the newest 20,000 events of a project.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["listSeenEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event
         * @description For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List event destinations
         * @description The newest first; a project has 50 at most.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["listEventDestinations"];
        put?: never;
        /**
         * Create an event destination
         * @description It receives what happens from now on; `replay` sends what happened before. Deliveries are signed as Standard Webhooks says. An event comes at least once, always under the same `webhook-id`.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["createEventDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-destinations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event destination
         * @description With its state and what waits for it.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["getEventDestination"];
        put?: never;
        post?: never;
        /**
         * Delete an event destination
         * @description With its deliveries, those that wait too. The events stay in the feed.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        delete: operations["deleteEventDestination"];
        options?: never;
        head?: never;
        /**
         * Change an event destination
         * @description Counts for what is sent from now on, within ten seconds. Deliveries that wait already stay, whatever `types` says.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        patch: operations["updateEventDestination"];
        trace?: never;
    };
    "/event-destinations/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends an event of the type `gateway.test` at once, also to a disabled destination, and answers what came back. It is not in the feed, and changes no state.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["testEventDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-destinations/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret
         * @description For 24 hours deliveries carry a signature of the new secret and one of the secret before.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["rotateEventDestinationSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-destinations/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable an event destination
         * @description It goes on where it was: what waits is sent now, then the events that came meanwhile, as far as they are kept.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["enableEventDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-destinations/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable an event destination
         * @description Nothing is sent until it is enabled; its events wait.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["disableEventDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-destinations/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events again
         * @description The events behind one (`after`) or of a time (`from`, `to`), as far as they are kept and the destination wants them; each under its `webhook-id`. Runs in the background.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["replayEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-destinations/{id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show how replays come on
         * @description Those that are under way; one that is done is not listed any more.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["listReplays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/causes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count failed deliveries by cause
         * @description Of the newest 20,000 that failed and as many dead ones, the most frequent cause first.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["listDeliveryCauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/event-destinations/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send failed deliveries again
         * @description The oldest first, each under its `webhook-id` and with a new schedule. A disabled destination receives them when it is enabled. An API key without the scope `activity:read` leaves out those of the audit log.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["retryDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description Now, to every destination that wants it, whether it was delivered before or not, under the same `webhook-id`. A disabled destination receives it when it is enabled.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["redeliverEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Of the newest events first, to destinations that exist. Those of the audit log only with the scope `activity:read`.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its attempts
         * @description For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Now, whatever its state, under the same `webhook-id`. A disabled destination receives it when it is enabled; a failing one when its turn comes.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/webhook-handshake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether a handshake is awaited
         * @description Whether the integration’s `webhookUrl` takes the secret that the provider’s handshake brings.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["getWebhookHandshake"];
        put?: never;
        /**
         * Wait for the handshake
         * @description For providers whose handshake brings the webhook secret: for 15 minutes, the first secret that comes to the integration’s `webhookUrl` is kept. Call it right before you register that address at the provider. Outside of these minutes such a handshake is refused, since anyone who knows the address could send one; a new integration does not wait. Addresses of `POST /v1/integrations/{id}/subscriptions` cannot be guessed and need none of this.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        post: operations["awaitWebhookHandshake"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List received webhooks
         * @description What providers sent to the gateway, with headers and body, kept for seven days. Of each integration the last hundred rejected ones are kept.
         *
         *     For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["listWebhookReceipts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-receipts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a received webhook
         * @description For an operator or a project API key. An API key needs `events:read`.
         */
        get: operations["getWebhookReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-receipts/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Match a webhook again
         * @description Splits it again and matches it to the connections that there are now. Events that have entered the stream before do not enter it again. Takes effect shortly after the reply.
         *
         *     For an operator or a project API key. An API key needs `events:manage`.
         */
        post: operations["replayWebhookReceipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook subscriptions
         * @description What is registered at the provider, or to be registered by hand.
         *
         *     For an operator or a project API key. An API key needs `integrations:read`.
         */
        get: operations["listWebhookSubscriptions"];
        put?: never;
        /**
         * Subscribe to webhooks
         * @description Gives the integration, or one of its connections, a webhook address of its own. Where the provider has a way to, the gateway registers it there, renews it and removes it; else you enter the address at the provider. Repeating it shows the same address and takes over the new wishes.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        post: operations["createWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/integrations/{id}/subscriptions/{subscriptionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unsubscribe from webhooks
         * @description The gateway removes at the provider what it has registered there; the address ends when that is done. An address that you registered by hand ends at once.
         *
         *     For an operator or a project API key. An API key needs `integrations:write`.
         */
        delete: operations["deleteWebhookSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/polls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List polls
         * @description For an operator or a project API key. An API key needs `polls`.
         */
        get: operations["listPolls"];
        put?: never;
        /**
         * Poll a provider
         * @description Asks the provider for changed records, for every connection of the integration, and delivers what is new as events. With `dryRun=true` nothing is stored: the reply shows the requests for one connection, and the first records.
         *
         *     For an operator or a project API key. An API key needs `polls`.
         */
        post: operations["createPoll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/polls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a poll
         * @description For an operator or a project API key. An API key needs `polls`.
         */
        get: operations["getPoll"];
        put?: never;
        post?: never;
        /**
         * Delete a poll
         * @description Its cursors and fingerprints go with it; events that were delivered stay.
         *
         *     For an operator or a project API key. An API key needs `polls`.
         */
        delete: operations["deletePoll"];
        options?: never;
        head?: never;
        /**
         * Change a poll
         * @description The interval counts at once; other fields show in what is read from now on. What is polled stays: make another poll for that.
         *
         *     For an operator or a project API key. An API key needs `polls`.
         */
        patch: operations["updatePoll"];
        trace?: never;
    };
    "/polls/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a poll
         * @description The page that is being read is still told.
         *
         *     For an operator or a project API key. An API key needs `polls`.
         */
        post: operations["pausePoll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/polls/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a poll
         * @description It goes on where it was paused.
         *
         *     For an operator or a project API key. An API key needs `polls`.
         */
        post: operations["resumePoll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/polls/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a poll now
         * @description For all of its connections; one that is being polled is polled once more after that. Refused while the poll is paused.
         *
         *     For an operator or a project API key. An API key needs `polls`.
         */
        post: operations["runPoll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/polls/{id}/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show how a poll comes on
         * @description For an operator or a project API key. An API key needs `polls`.
         */
        get: operations["listPollConnections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{provider}/poll-resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what can be polled
         * @description Kinds of records that the catalog describes; `custom` of a poll takes others, in the same shape.
         *
         *     For an operator or a project API key. An API key needs no scope.
         */
        get: operations["listPollResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List calls that wait for approval, or did
         * @description Of the projects that you may read; a user’s own with a user token. An approval is forgotten a day after its end, what was asked at its end.
         *
         *     For an operator or a project API key or an end user. An API key needs `approvals`.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an approval with the exact call
         * @description For an operator or a project API key or an end user. An API key needs `approvals`.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a call
         * @description The caller may then send this very call, once, within the time that `expiresAt` says. Of `mode` `once`, later calls of the token by the same entry pass as well. By an operator, an API key, or the user’s token without a mandate; never by a token with one.
         *
         *     For an operator or a project API key or an end user. An API key needs `approvals`.
         */
        post: operations["approveApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuse a call
         * @description Also one that was approved and has not been sent yet. By an operator, an API key, or the user’s token without a mandate; never by a token with one.
         *
         *     For an operator or a project API key or an end user. An API key needs `approvals`.
         */
        post: operations["rejectApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the page of an approval for its user
         * @description For your page that signs the person in and sends their browser on: the address that an agent shows holds no secret, and opens nothing by itself. With an API key, or with a user token without a mandate.
         *
         *     For a project API key or an end user. An API key needs `approvals`.
         */
        post: operations["createApprovalSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the page of a person’s connections
         * @description A link for the browser of one user, whom you have signed in: what is connected, what may use it, connect again, remove. It opens once, and lasts 30 minutes. With a user token without a mandate, the user’s own.
         *
         *     For an end user or a project API key. An API key needs `connect`.
         */
        post: operations["createPortalSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what persons have allowed agents
         * @description Clients that persons have signed in to, in the projects that you may read; a user’s own with a user token. A consent is forgotten when its client has not come back for 30 days.
         *
         *     For an operator or a project API key or an end user. An API key needs `connections:read`.
         */
        get: operations["listAgentConsents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-consents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw what a person has allowed an agent
         * @description All tokens of the client end at once. With a user token: the user’s own, and no token with a mandate, which is an agent’s.
         *
         *     For an operator or a project API key or an end user. An API key needs `connections:write`.
         */
        delete: operations["withdrawAgentConsent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user, with what is held of them
         * @description For an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Erase a user
         * @description Refuses the user’s tokens from now on, revokes their grants at the providers and erases connections, authorizations, events, deliveries, webhooks, kept calls, what polls remember and replies kept for repeats, in the background; activity keeps a pseudonym. The report at `Location` ends `done` and says what could not be revoked. Asking again answers the same report. No events are sent of it. A user whose tokens are issued anew afterwards is a new one.
         *
         *     For an operator or a project API key. An API key needs `connections:write` and `events:manage` and `users:tokens`.
         */
        delete: operations["eraseUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/users/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export everything about a user
         * @description JSON lines, each with its `kind`: `user`, `connection`, `connect_session`, `poll_record`, `event`, `delivery`, `webhook_receipt`, `call`, `activity`, and `end` as the last one, without which the export is cut off. No token and no other secret is in it. Webhooks that hold data of several users come whole. Two exports at a time.
         *
         *     For an operator or a project API key. An API key needs `connections:read` and `events:read` and `activity:read`.
         */
        get: operations["exportUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/user-erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List erasures of users
         * @description Reports, for as long as the audit log is kept.
         *
         *     For an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["listUserErasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/user-erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the report of an erasure
         * @description For an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["getUserErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organizations of a project
         * @description Those that tokens have named, or that connections were made for.
         *
         *     For an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["listOrganizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{projectId}/organizations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an organization, with what is held of it
         * @description For an operator or a project API key. An API key needs `connections:read`.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        /**
         * Erase an organization
         * @description Revokes the grants of its connections at the providers and erases these, with their events, deliveries, webhooks and kept calls, in the background, as for a user; its persons and what is theirs stay. The report at `Location` ends `done`. Tokens that name it go on, and one that is used afterwards makes a new, empty one.
         *
         *     For an operator or a project API key. An API key needs `connections:write` and `events:manage`.
         */
        delete: operations["eraseOrganization"];
        options?: never;
        head?: never;
        /**
         * Give an organization a quota of its own
         * @description It counts on all replicas within a second. What has been counted already stays counted.
         *
         *     For an operator or a project API key. An API key needs `projects:write`.
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/projects/{projectId}/organizations/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export everything about an organization
         * @description JSON lines as of a user (`…/users/{id}/export`), the first one of kind `organization`. No token and no other secret is in it.
         *
         *     For an operator or a project API key. An API key needs `connections:read` and `events:read` and `activity:read`.
         */
        get: operations["exportOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search
         * @description Requests and connections by id; users, accounts and integrations by what their names begin with; providers and projects by a part of the name. At most 20. An API key finds what its scopes let it read, providers always.
         *
         *     For an operator or a project API key. An API key needs no scope.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gateway/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what became of a restored backup
         * @description For an operator.
         */
        get: operations["getGatewayRestore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gateway/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a restored gateway
         * @description Every connection is probed first, by a refresh where there is one: tokens that were rotated after the backup are spent, and these connections are listed. Then refreshing, polling and delivering go on, on every replica within a second.
         *
         *     For an operator.
         */
        post: operations["resumeGateway"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gateway": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read about the gateway
         * @description Version and addresses; for owners of the gateway also its store, keys, replicas and settings.
         *
         *     For an operator.
         */
        get: operations["getGateway"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Problem details (RFC 9457). */
        Problem: {
            /**
             * Format: uri
             * @description The page that explains the code.
             */
            type: string;
            title: string;
            status: number;
            /** @description What went wrong this time. */
            detail: string;
            /** @description What to do about it. */
            remedy: string;
            /** @description Whether the same request may succeed later. */
            retryable: boolean;
            /** @description Stable name of the error; also in `Gateway-Error`. */
            code: string;
            /**
             * Format: uuid
             * @description Names the request in the log; also in `Gateway-Request-Id`.
             */
            requestId: string;
            /** @description The faults in the input, for `invalid_request`: the first twenty. */
            errors?: {
                path: string;
                message: string;
                /** @description Of a file that came as text; from 1. */
                line?: number;
                column?: number;
            }[];
            /**
             * Format: uuid
             * @description The connection that needs a new authorization.
             */
            connectionId?: string;
            /** @description The connections to choose from, for `connection_ambiguous`. */
            connectionIds?: string[];
            /** @description How many connections fit. */
            connectionCount?: number;
            /** @description The integrations to choose from, for `integration_ambiguous`. */
            integrationIds?: string[];
            /** @description The grants to choose from. */
            grants?: string[];
        };
        SetupResult: {
            operator: components["schemas"]["Operator"];
            project: components["schemas"]["Project"];
            /** @description Null where `credentials` is `false`. */
            personalAccessToken: {
                /** Format: uuid */
                id: string;
                /** @description Shown this once. */
                token: string;
            } | null;
            /** @description Null where `credentials` is `false`. */
            apiKey: {
                /** Format: uuid */
                id: string;
                /** @description Shown this once. */
                key: string;
            } | null;
        };
        Operator: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string | null;
            /** @description BCP 47 tag; null: what the browser asks for. */
            language: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The address was proved to be yours. Without that, nobody can add you to a project but by inviting you. */
            emailVerified: boolean;
            hasPassword: boolean;
            /** @description Signing in with the password takes a code, too. */
            otpEnabled: boolean;
            /** @description An account at the identity provider is linked. */
            singleSignOn: boolean;
            /** @description Owner of the gateway itself: the first operator, and whom an owner of the gateway or the administrator of the server appoints. */
            gatewayOwner: boolean;
        };
        Project: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Web origins whose pages may call the gateway. */
            allowedOrigins: string[];
            /** @description Where authorizing by full-page redirect may end. */
            returnUrls: string[];
            /** @description A page of yours that signs a person in and opens an approval for them. The address that an agent shows leads there, with the id as the parameter `approval`. */
            approvalPage: string | null;
            /** @description How a person signs in for an agent whose client knows nothing of your application: null, and nobody can (docs/agents.md). */
            agentSignIn: {
                /** @description A page of yours that signs a person in, and posts `state` and a user token whose `nonce` is that state back to `return_to`. Null with `openid`. */
                page: string | null;
                /** @description Your OpenID provider, which signs persons in. Null with `page`. */
                openid: {
                    /** @description As its discovery document names it, to the letter. */
                    issuer: string;
                    /** @description The gateway’s at your provider, with the redirect URI `<PUBLIC_URL>/agents/signed-in/<project id>`. */
                    clientId: string;
                    /** @description Asked for besides `openid`. */
                    scopes: string[];
                    /** @description The claim of the ID token that is your id of the user. `email` counts only where `email_verified` is true. */
                    userIdClaim: string;
                    /** @description A mandate of the project: the most that agents get. The claims `authorization_details` and `gateway_mandate` of the ID token count as those of a user token. */
                    mandateId: string | null;
                    /** @description False: a public client, by PKCE alone. */
                    hasClientSecret: boolean;
                } | null;
                /** @description Clients that have no metadata document may register themselves (RFC 7591): their names are proved by nothing. */
                dynamicRegistration: boolean;
            } | null;
            limits: {
                /** @description Proxied calls that one end user may make per minute. */
                proxyCallsPerMinute?: number;
                /** @description Proxied calls that the users of one organization may make together in 24 hours; beyond, `429 quota_exceeded`. */
                organizationCallsPerDay?: number;
            };
            /** @description How the hosted connect pages look. */
            branding: {
                /** @description Shown to end users instead of the project’s name. */
                displayName?: string;
                /** @description An https image, shown beside the name. Browsers load it from there. */
                logoUrl?: string;
                /** @description Of buttons, as #rrggbb. Words and outlines get a shade of it that can be read. */
                color?: string;
            };
            /** @description Claims of user tokens whose values become tags of the connections that are made with them. */
            tagClaims: string[];
            /** @description Every user token without a mandate is `403 mandate_required`, at the proxy and at this API. */
            requireMandate: boolean;
            /** @description Set by `POST …/freeze`: calls are `423 project_frozen`, nothing is refreshed, polled or delivered. */
            frozen: {
                /** Format: date-time */
                at: string;
                reason: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string;
            /**
             * Format: date-time
             * @description Twelve hours after the last use, at most seven days after the begin.
             */
            expiresAt: string;
            sourceAddress: string | null;
            userAgent: string | null;
            /** @description The session that asks. */
            current: boolean;
            operator: components["schemas"]["Operator"];
        };
        SessionList: {
            sessions: components["schemas"]["Session"][];
            nextCursor: string | null;
        };
        SignInOptions: {
            /** @description False until the first operator exists. */
            setUp: boolean;
            singleSignOn: {
                url: string;
            } | null;
            /** @description The gateway can send mails, such as a link to a new password. */
            mail: boolean;
        };
        GatewayOwnerList: {
            owners: components["schemas"]["GatewayOwner"][];
            nextCursor: null;
        };
        GatewayOwner: {
            /** Format: uuid */
            operatorId: string;
            email: string;
            name: string | null;
            /** Format: date-time */
            since: string;
        };
        NewSecondFactor: {
            /** @description Base 32, for typing in. Shown this once. */
            secret: string;
            /** @description For a QR code. Shown this once. */
            otpauthUrl: string;
            /** @description Each works once in place of a code. */
            recoveryCodes: string[];
        };
        PersonalAccessTokenList: {
            personalAccessTokens: components["schemas"]["PersonalAccessToken"][];
            nextCursor: string | null;
        };
        PersonalAccessToken: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the token, to tell tokens apart. */
            prefix: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Null for tokens of earlier releases alone: they have no end. */
            expiresAt: string | null;
            lastUsedAt: string | null;
            /** @description The ranges from which it may be used, normalized; null: from anywhere. */
            allowedAddresses: string[] | null;
        };
        NewPersonalAccessToken: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the token, to tell tokens apart. */
            prefix: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Null for tokens of earlier releases alone: they have no end. */
            expiresAt: string | null;
            lastUsedAt: string | null;
            /** @description The ranges from which it may be used, normalized; null: from anywhere. */
            allowedAddresses: string[] | null;
            /** @description The token, shown this once. */
            token: string;
        };
        ProjectList: {
            projects: components["schemas"]["Project"][];
            nextCursor: string | null;
        };
        MemberList: {
            members: components["schemas"]["Member"][];
            nextCursor: string | null;
        };
        Member: {
            /** Format: uuid */
            operatorId: string;
            email: string;
            name: string | null;
            /** @enum {string} */
            role: "owner" | "admin" | "viewer";
            /** @description The address was proved to be the operator’s own. */
            emailVerified: boolean;
            /** @description Signing in with the password takes a code, too. */
            otpEnabled: boolean;
            /** @description API keys of the project that this operator made and that work. A changed role does not end them: revoke them. */
            liveApiKeys: number;
            /** @description The same of signing keys. */
            liveSigningKeys: number;
            /** Format: date-time */
            createdAt: string;
            /**
             * @description `invited` until the operator accepts; lists have members only.
             * @enum {string}
             */
            status: "member" | "invited";
        };
        EndUserList: {
            users: components["schemas"]["EndUser"][];
            nextCursor: string | null;
        };
        EndUser: {
            /**
             * Format: uuid
             * @description What connections show as `integrationUserId`.
             */
            id: string;
            /** @description Your own id of the user, the `sub` of their tokens. */
            userId: string;
            /** Format: date-time */
            createdAt: string;
        };
        ActivityList: {
            activity: components["schemas"]["Activity"][];
            nextCursor: string | null;
        };
        Activity: {
            /** Format: uuid */
            id: string;
            projectId: string | null;
            /** @enum {string} */
            actorKind: "operator" | "api_key" | "end_user" | "gateway";
            actorId: string | null;
            /** @description What the actor is called now: an operator’s name or e-mail address, a key’s name, your own id of a user. Null where it is gone, for the gateway itself, and in the live tail. */
            actorName: string | null;
            /** @description Where the request came from; null for what the gateway did by itself. */
            sourceAddress: string | null;
            action: string;
            subjectKind: string;
            subjectId: string | null;
            /** @description What the subject is called now: a connection’s account, an integration’s name or provider, a key’s or a mandate’s name, the host of a destination, the object of a poll, your own id of an organization. Null where it is gone or has none, and in the live tail. */
            subjectName: string | null;
            details: {
                [key: string]: unknown;
            };
            /** @description Of the request that made the change; null for what the gateway did by itself. */
            requestId: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        InvitationList: {
            invitations: components["schemas"]["Invitation"][];
            nextCursor: string | null;
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "viewer";
            /** Format: date-time */
            createdAt: string;
            /** @description The operator who invites. */
            createdBy: string | null;
            /** Format: date-time */
            expiresAt: string;
            /** @description A mail server has taken the mail. */
            mailed: boolean;
        };
        NewInvitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "viewer";
            /** Format: date-time */
            createdAt: string;
            /** @description The operator who invites. */
            createdBy: string | null;
            /** Format: date-time */
            expiresAt: string;
            /** @description A mail server has taken the mail. */
            mailed: boolean;
            /** @description The link, shown this once. */
            url: string;
        };
        InvitationFacts: {
            project: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "viewer";
            /** @description An operator has this address: sign in instead of making one. False for the link of a mail where that operator never proved the address. */
            hasAccount: boolean;
        };
        OwnInvitationList: {
            invitations: components["schemas"]["OwnInvitation"][];
            nextCursor: string | null;
        };
        OwnInvitation: {
            /** Format: uuid */
            id: string;
            project: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            /** @enum {string} */
            role: "owner" | "admin" | "viewer";
            /** @description The operator who invites. */
            invitedBy: {
                email: string;
                name: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        ApiKeyList: {
            apiKeys: components["schemas"]["ApiKey"][];
            nextCursor: string | null;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key, to recognize a key. */
            prefix: string;
            /** @description The operator who made or rotated it, also where they are no member any more. */
            createdBy: {
                /** Format: uuid */
                operatorId: string;
                email: string;
            } | null;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            /** @description What the key may do; `*` alone: everything. */
            scopes: string[];
            /** @description The ranges from which it may be used, normalized; null: from anywhere. */
            allowedAddresses: string[] | null;
        };
        /** @enum {string} */
        ApiKeyScope: "*" | "integrations:read" | "integrations:write" | "connections:read" | "connections:write" | "connections:import" | "users:tokens" | "connect" | "events:read" | "events:manage" | "polls" | "projects:read" | "projects:write" | "activity:read" | "mandates" | "approvals" | "configuration:read" | "configuration:write";
        NewApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The first characters of the key, to recognize a key. */
            prefix: string;
            /** @description The operator who made or rotated it, also where they are no member any more. */
            createdBy: {
                /** Format: uuid */
                operatorId: string;
                email: string;
            } | null;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            /** @description What the key may do; `*` alone: everything. */
            scopes: string[];
            /** @description The ranges from which it may be used, normalized; null: from anywhere. */
            allowedAddresses: string[] | null;
            /** @description The key, shown this once. */
            key: string;
        };
        SigningKeyList: {
            signingKeys: components["schemas"]["SigningKey"][];
            nextCursor: string | null;
        };
        SigningKey: {
            /** Format: uuid */
            id: string;
            /** @description What tokens signed with this key name in their header. */
            kid: string;
            /** @enum {string} */
            kind: "managed" | "public_key" | "jwks";
            alg: ("RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512") | null;
            /** @description PEM; null for a JWKS URL. */
            publicKey: string | null;
            issuer: string | null;
            jwksUrl: string | null;
            audience: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        KeySetFacts: {
            keys: {
                kid: string | null;
                alg: string | null;
                /** @description Why user tokens of this key are refused; null for a key that verifies them. */
                fault: string | null;
                /** @description PEM; null for a key that cannot be used. */
                publicKey: string | null;
            }[];
        };
        MandateEntry: {
            /** @constant */
            type: "gateway_access";
            provider: string;
            /** Format: uuid */
            connectionId?: string;
            /** @description Names of further hosts; `api` is the API base. Left out: all hosts. */
            hosts?: string[];
            /**
             * @description `write` allows reading as well.
             * @enum {string}
             */
            access: "read" | "write";
            methods?: ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
            paths?: string[];
            /**
             * @default none
             * @enum {string}
             */
            approval: "none" | "once" | "each";
            perHour?: number;
        };
        UserToken: {
            token: string;
            /** @description The id of the token, by which it can be revoked alone. */
            jti: string;
            /** Format: date-time */
            expiresAt: string;
        };
        RevocationList: {
            revocations: components["schemas"]["Revocation"][];
            nextCursor: string | null;
        };
        Revocation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            jti: string | null;
            userId: string | null;
            everyone: boolean;
            /** @description Tokens issued before this are refused; null where one token is revoked. */
            issuedBefore: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it is forgotten: no token that it concerns can be alive then.
             */
            expiresAt: string;
        };
        MandateList: {
            mandates: components["schemas"]["Mandate"][];
            nextCursor: string | null;
        };
        Mandate: {
            /**
             * Format: uuid
             * @description What the claim `gateway_mandate` of tokens names.
             */
            id: string;
            /** Format: uuid */
            projectId: string;
            name: string;
            entries: components["schemas"]["ShownMandateEntry"][];
            /**
             * @description `frozen`: every call of a token that refers to it is `403 mandate_frozen`.
             * @enum {string}
             */
            state: "active" | "frozen";
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            createdBy: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: uuid */
            updatedBy: string;
        };
        ShownMandateEntry: {
            /** @constant */
            type: "gateway_access";
            provider: string;
            /** Format: uuid */
            connectionId?: string;
            /** @description Names of further hosts; `api` is the API base. Left out: all hosts. */
            hosts?: string[];
            /**
             * @description `write` allows reading as well.
             * @enum {string}
             */
            access: "read" | "write";
            methods?: ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
            paths?: string[];
            /**
             * @default none
             * @enum {string}
             */
            approval: "none" | "once" | "each";
            perHour?: number;
        };
        MandateExplanation: {
            allowed: boolean;
            /** @description Index of the first entry that allows the call. */
            entry: number | null;
            /** @description Why none does. */
            reason: string | null;
            entries: {
                index: number;
                allowed: boolean;
                /** @description Why this entry does not allow the call. */
                reason: string | null;
            }[];
        };
        RevocationReport: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /**
             * @description `done`: no credential of a user is left in the gateway, and every grant has been tried at its provider once. `unrevoked` may still become shorter.
             * @enum {string}
             */
            state: "running" | "done";
            /** Format: date-time */
            createdAt: string;
            finishedAt: string | null;
            /** @description Connections that were erased so far. */
            connections: number;
            /** @description Grants that their providers took back. */
            revoked: number;
            unrevoked: {
                /** Format: uuid */
                integrationId: string;
                serviceProvider: string;
                /**
                 * @description `nothing_to_revoke`: the provider takes no credentials of this kind back, such as API keys that users typed in: they are good until somebody withdraws them there. `credentials_unreadable`: no key of the gateway opens them. `kept_for_another_connection`: the provider would have ended a connection of another user. `failing`: the provider did not take it, and is asked again until `triedUntil`. `refused`: it did not for a day. `waiting`: it has not been asked yet.
                 * @enum {string}
                 */
                reason: "nothing_to_revoke" | "credentials_unreadable" | "kept_for_another_connection" | "refused" | "failing" | "waiting";
                /** @description What came of the last request to the provider. */
                errorCode: string | null;
                grants: number;
                triedUntil: string | null;
            }[];
        };
        RevocationReportList: {
            revocationReports: components["schemas"]["RevocationReport"][];
            nextCursor: string | null;
        };
        ProviderList: {
            providers: components["schemas"]["Provider"][];
            nextCursor: string | null;
        };
        Provider: {
            /** @description Short name: the provider in proxy paths. */
            id: string;
            /** @description The project whose own provider it is; null for those of the catalog. */
            projectId: string | null;
            name: string;
            /** @enum {string} */
            category: "crm" | "marketing" | "support" | "communication" | "calendar-email" | "productivity" | "project-management" | "storage" | "accounting" | "commerce" | "payments" | "hr" | "developer" | "analytics" | "social" | "identity" | "design" | "sales" | "data" | "security" | "health" | "education" | "legal" | "media" | "other";
            /** @description A square picture, public, mostly SVG. */
            logoUrl: string;
            /** @enum {string} */
            auth: "oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse";
            /**
             * @description Whether anyone’s application can use it: `unknown` where nobody has looked, `partner-only` lets partners in alone, tokens of `sign-in-only` open no API, `limited` does not give everything to new applications, `ended` is gone: no integration can be made for it.
             * @enum {string}
             */
            status: "unknown" | "available" | "partner-only" | "sign-in-only" | "limited" | "ended";
            /** @description When it ended or will end, or since when the status holds: a year, a month or a day. */
            statusDate: string | null;
            statusNote: string | null;
            /** @description How far the facts are confirmed: by the provider’s documentation, by several independent sources, in part by several and for the rest by one (`one-source`), or not at all (`transcribed`: copied from one catalog). None says that the live provider was tried. Null: unknown. */
            evidence: ("documentation" | "several-sources" | "one-source" | "transcribed") | null;
            /** @description The day on which the facts were last compared with sources. Null: unknown. */
            checked: string | null;
            apiBaseUrl: string;
            /** @description The MCP server that it is; null for all others. */
            mcp: {
                url: string;
                /** @description What follows the provider in proxy paths to reach it. */
                path: string;
                /**
                 * @description `automatic`: the gateway brings its own client. `operator`: the integration needs a `clientId`.
                 * @enum {string}
                 */
                registration: "automatic" | "operator";
            } | null;
            /** @description Further API hosts that take the same credential. */
            hosts: {
                /** @description As proxy paths name it: `dropbox~content`. */
                name: string;
                url: string;
                serves: string;
            }[];
            authorizationUrl: string | null;
            tokenUrl: string | null;
            pkce: boolean;
            scopes: {
                defaults: string[];
                descriptions: {
                    [key: string]: string;
                };
                /** @description The provider distinguishes required and optional scopes. */
                supportsOptional: boolean;
            };
            variables: components["schemas"]["ProviderVariable"][];
            credentialHint: string | null;
            /** @description A call of the provider’s API that shows whose account is connected, as a path of the proxy; a first call to try. */
            accountCall: {
                /** @enum {string} */
                method: "GET" | "POST";
                path: string;
            } | null;
            /**
             * @description How calls under a mandate to read are judged. `described`: the provider file says which requests do other than their methods say. `methods`: by the method alone, so a search by POST is refused, and a GET that changes something is not.
             * @enum {string}
             */
            access: "described" | "methods";
            /** @description One grant may reach several sites, organizations or accounts; null where it never does. */
            tenants: {
                /**
                 * @description What people call one of them.
                 * @enum {string}
                 */
                kind: "account" | "organization" | "company" | "site" | "workspace" | "business" | "location" | "project" | "page";
                /** @description The connect page asks which one, where a grant reaches several. */
                asked: boolean;
            } | null;
            supportsRevocation: boolean;
            webhooks: {
                supported: boolean;
                docsUrl: string | null;
                /** @description Names of further ways in which the provider signs, for `settings.webhookScheme`. */
                alternatives: string[];
                /**
                 * @description What `webhookSecret` of an integration is for: it signs webhooks, it is the verify token of a challenge, or it is refused, since the provider signs with the client’s values or a public key.
                 * @enum {string}
                 */
                secretUse: "signature" | "verify_token" | "none";
            };
            /** @description The redirect URL to register at the provider; null where none is used. */
            redirectUrl: string | null;
            /** @description What to do at the provider, in order, with the addresses of this gateway filled in. */
            setupSteps: string[];
            /** @description What answers that mean "later" look like beyond 429 and `Retry-After`. */
            retry: {
                /** @default [] */
                statuses: number[];
                /** @default [] */
                after: string[];
                /** @default [] */
                at: string[];
            } | null;
            /** @description How the API hands out long lists, as most of its operations do. */
            paging: {
                links?: string[];
                /** @enum {string} */
                style?: "link" | "cursor" | "offset" | "page" | "none";
                next?: string;
                parameter?: string;
                limitParameter?: string;
                items?: string;
            } | null;
            /** @description Fields of responses about the rate limit. */
            rateLimit: {
                /**
                 * @default connection
                 * @enum {string}
                 */
                of: "connection" | "integration";
                /**
                 * @default [
                 *       429
                 *     ]
                 */
                statuses: number[];
                limit?: string;
                remaining?: string;
                reset?: string;
                /**
                 * @default seconds
                 * @enum {string}
                 */
                resetUnit: "seconds" | "ms" | "epoch-seconds" | "epoch-ms" | "iso" | "duration" | "window-ms";
                combined?: string;
            } | null;
            docsUrl: string | null;
            /** @description Where an application or a key is registered at the provider. */
            portalUrl: string | null;
            /** @description The ways to authenticate, the usual one first: what it says stands in the provider’s own fields as well. An integration names another one as `grant`. */
            grants: components["schemas"]["ProviderGrant"][];
            /** @description What a developer should know before choosing it. */
            notes: string[];
            /** @description What a project’s own provider was described with, for who may manage it; null for all other providers and callers. */
            definition: {
                [key: string]: unknown;
            } | null;
        };
        ProviderVariable: {
            name: string;
            /**
             * @description Who knows the value. `user` is asked for in the form, `integration` is set there; `application` is given by API key in the connect session or the import, and asked of a user only beside a key of their own.
             * @enum {string}
             */
            from: "user" | "integration" | "application" | "external-id" | "callback" | "token-response" | "account" | "tenant";
            title: string | null;
            description: string | null;
            example: string | null;
            /** @description Anchored regular expression that a value must match. */
            pattern: string;
            options: {
                value: string;
                title: string;
            }[] | null;
            default: string | null;
            secret: boolean;
            /** @description It may be left empty. */
            optional: boolean;
            /** @description A file whose text is pasted: a key or a certificate in PEM, or the provider’s JSON file. */
            input: ("private-key" | "certificate" | "json") | null;
        };
        ProviderGrant: {
            id: string;
            /** @description As people choose it; null: its kind says it all. */
            title: string | null;
            /** @description When to choose it. */
            purpose: string | null;
            /** @enum {string} */
            auth: "oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse";
            apiBaseUrl: string;
            /** @description A call of the provider’s API that shows whose account is connected, as a path of the proxy; a first call to try. */
            accountCall: {
                /** @enum {string} */
                method: "GET" | "POST";
                path: string;
            } | null;
            /**
             * @description How calls under a mandate to read are judged. `described`: the provider file says which requests do other than their methods say. `methods`: by the method alone, so a search by POST is refused, and a GET that changes something is not.
             * @enum {string}
             */
            access: "described" | "methods";
            supportsRevocation: boolean;
            /** @description What the integration needs. */
            operatorFields: components["schemas"]["GrantField"][];
            /** @description What the application gives for each connection, in `variables` of the connect session or in the import. */
            applicationFields: components["schemas"]["GrantField"][];
            /** @description What each user is asked for in the form. */
            userFields: components["schemas"]["GrantField"][];
            variables: components["schemas"]["ProviderVariable"][];
            scopes: {
                defaults: string[];
                descriptions: {
                    [key: string]: string;
                };
                /** @description The provider distinguishes required and optional scopes. */
                supportsOptional: boolean;
            };
            redirectUrl: string | null;
            /** @description The MCP server that it is; null for all others. */
            mcp: {
                url: string;
                /** @description What follows the provider in proxy paths to reach it. */
                path: string;
                /**
                 * @description `automatic`: the gateway brings its own client. `operator`: the integration needs a `clientId`.
                 * @enum {string}
                 */
                registration: "automatic" | "operator";
            } | null;
            credentialHint: string | null;
            setupSteps: string[];
            docsUrl: string | null;
            portalUrl: string | null;
            notes: string[];
        };
        GrantField: {
            /** @description A field of the integration or of the connection’s credentials; `variables.<name>` for a variable. */
            name: string;
            /** @description Null where the name says it all. */
            title: string | null;
            secret: boolean;
            required: boolean;
        };
        ProviderSummaryList: {
            providers: components["schemas"]["ProviderSummary"][];
        };
        ProviderSummary: {
            id: string;
            /** @description As in the provider itself. */
            projectId: string | null;
            name: string;
            /** @enum {string} */
            category: "crm" | "marketing" | "support" | "communication" | "calendar-email" | "productivity" | "project-management" | "storage" | "accounting" | "commerce" | "payments" | "hr" | "developer" | "analytics" | "social" | "identity" | "design" | "sales" | "data" | "security" | "health" | "education" | "legal" | "media" | "other";
            logoUrl: string;
            /** @enum {string} */
            auth: "oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse";
            /**
             * @description Whether anyone’s application can use it: `unknown` where nobody has looked, `partner-only` lets partners in alone, tokens of `sign-in-only` open no API, `limited` does not give everything to new applications, `ended` is gone: no integration can be made for it.
             * @enum {string}
             */
            status: "unknown" | "available" | "partner-only" | "sign-in-only" | "limited" | "ended";
            /** @description When it ended or will end, or since when the status holds: a year, a month or a day. */
            statusDate: string | null;
            statusNote: string | null;
            /** @description How far the facts are confirmed: by the provider’s documentation, by several independent sources, in part by several and for the rest by one (`one-source`), or not at all (`transcribed`: copied from one catalog). None says that the live provider was tried. Null: unknown. */
            evidence: ("documentation" | "several-sources" | "one-source" | "transcribed") | null;
            /** @description The day on which the facts were last compared with sources. Null: unknown. */
            checked: string | null;
            /** @description Titles of what the operator has to fill in. */
            integrationVariables: string[];
            /** @description The same by the names that `variables` of an integration takes. */
            integrationVariableNames: string[];
            /** @description Titles of what each user is asked for. */
            userVariables: string[];
            webhooks: boolean;
            /** @description Whether it is an MCP server. */
            mcp: boolean;
        };
        /** @description The fields of a provider file, as JSON. `id`, `name`, `auth` and `apiBaseUrl` are needed; of an MCP server `name` and `mcp.url` alone. */
        CreateProvider: {
            /** Format: uuid */
            projectId?: string;
            /** @description the short name of the provider in proxy paths, such as acme; only with `mcp` it is made of the name where it is left out */
            id?: string;
            /** @description the name of the provider as people read it */
            name: string;
            /**
             * @default other
             * @enum {string}
             */
            category: "crm" | "marketing" | "support" | "communication" | "calendar-email" | "productivity" | "project-management" | "storage" | "accounting" | "commerce" | "payments" | "hr" | "developer" | "analytics" | "social" | "identity" | "design" | "sales" | "data" | "security" | "health" | "education" | "legal" | "media" | "other";
            /**
             * @description how its API is authenticated at
             * @enum {string}
             */
            auth?: "oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse";
            authorizationUrl?: string;
            tokenUrl?: string;
            refreshUrl?: string;
            revocationUrl?: string;
            /** @description the address that proxied paths follow */
            apiBaseUrl?: string;
            /**
             * @default
             * @enum {string}
             */
            scopeSeparator: " " | "," | "+";
            /** @default null */
            pkce: boolean | null;
            /** @default null */
            tokenEndpointAuth: ("client_secret_post" | "client_secret_basic" | "none" | "tls_client_auth") | null;
            /** @default {} */
            authorizationParams: {
                [key: string]: string;
            };
            /** @default {} */
            tokenParams: {
                [key: string]: string;
            };
            /** @default {} */
            refreshParams: {
                [key: string]: string;
            };
            /** @default {} */
            variables: {
                [key: string]: string | {
                    /**
                     * @default user
                     * @enum {string}
                     */
                    from: "user" | "integration" | "application" | "external-id" | "callback" | "token-response" | "account" | "tenant";
                    path?: string;
                    part?: string;
                    title?: string;
                    description?: string;
                    example?: string;
                    pattern?: string;
                    unusable?: {
                        pattern: string;
                        message: string;
                    }[];
                    pastedPrefixes?: string[];
                    options?: {
                        value: string;
                        title: string;
                    }[];
                    default?: string;
                    /** @default false */
                    secret: boolean;
                    /** @constant */
                    optional?: true;
                    /** @enum {string} */
                    input?: "private-key" | "certificate" | "json";
                    members?: string[];
                };
            };
            apiKey?: {
                /** @enum {string} */
                in: "header" | "query" | "path";
                name: string;
                template: string;
            };
            openapi?: string[];
            /** Format: uri */
            docsUrl?: string;
            /** @default [] */
            defaultScopes: string[];
            /** @default [] */
            quirks: string[];
            agree?: number;
            conflicts?: unknown[];
            /** Format: uri */
            logoUrl?: string;
            /** @default [] */
            notes: string[];
            /** Format: uri */
            portalUrl?: string;
            icon?: string;
            /** @enum {string} */
            status?: "unknown" | "available" | "partner-only" | "sign-in-only" | "limited" | "ended";
            statusDate?: string;
            statusNote?: string;
            /** @enum {string} */
            evidence?: "documentation" | "several-sources" | "one-source" | "transcribed";
            sources?: (string | {
                from: string;
                says: ("endpoints" | "apiBase" | "keyPlacement" | "scopes" | "account" | "probe" | "webhooks" | "polls" | "tenants" | "hosts" | "oneHost" | "grants" | "access")[];
                date: string;
                /** @constant */
                by?: "vendor";
            })[];
            checked?: string;
            issuer?: string;
            /** @default false */
            issuerAlwaysSent: boolean;
            /** @default scope */
            scopeParameter: string;
            optionalScopeParameter?: string;
            /** @default {} */
            scopeComparison: {
                /** @constant */
                ignoreCase?: true;
                prefixes?: string[];
                aliases?: {
                    [key: string]: string;
                };
                covers?: {
                    [key: string]: string[];
                };
            };
            /** @default client_id */
            clientIdParameter: string;
            /** @default redirect_uri */
            redirectUriParameter: string;
            redirectUriTemplate?: string;
            /** @default code */
            responseType: string;
            /** @enum {string} */
            responseMode?: "form_post";
            authorizationFragment?: string;
            /** @default {} */
            callback: {
                /** @default code */
                codeParameter: string;
                signature?: {
                    parameter: string;
                    /**
                     * @default sha256
                     * @enum {string}
                     */
                    algorithm: "sha256";
                };
                /** @default {} */
                mustMatch: {
                    [key: string]: string;
                };
            };
            /** @default {} */
            tokenRequest: {
                /**
                 * @default POST
                 * @enum {string}
                 */
                method: "POST" | "GET";
                /**
                 * @default body
                 * @enum {string}
                 */
                in: "body" | "query";
                /**
                 * @default form
                 * @enum {string}
                 */
                encoding: "form" | "json";
                /** @default {} */
                headers: {
                    [key: string]: string;
                };
                /** @default {} */
                parameterNames: {
                    [key: string]: string;
                };
                /** @default [] */
                omit: string[];
            };
            /** @default {} */
            refreshRequest: {
                /** @enum {string} */
                method?: "POST" | "GET";
                /** @enum {string} */
                in?: "body" | "query";
                /** @enum {string} */
                encoding?: "form" | "json";
                headers?: {
                    [key: string]: string;
                };
                parameterNames?: {
                    [key: string]: string;
                };
                omit?: string[];
                /** @enum {string} */
                tokenEndpointAuth?: "client_secret_post" | "client_secret_basic" | "none" | "tls_client_auth";
            };
            clientAssertion?: {
                /**
                 * @default client_assertion
                 * @enum {string}
                 */
                as: "client_secret" | "client_assertion";
                /**
                 * @default RS256
                 * @enum {string}
                 */
                alg: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512";
                /** @default {clientId} */
                issuer: string;
                /** @default {clientId} */
                subject: string;
                /** @default {tokenUrl} */
                audience: string;
                keyId?: string;
                /** @default {} */
                header: {
                    [key: string]: string;
                };
                /** @default 300 */
                lifetimeSeconds: number;
            };
            tokenExchange?: {
                url: string;
                /**
                 * @default GET
                 * @enum {string}
                 */
                method: "GET" | "POST";
                /** @default {} */
                params: {
                    [key: string]: string;
                };
                /** @default access_token */
                accessToken: string;
                /** @default expires_in */
                expiresIn: string;
                /** @default false */
                afterRefresh: boolean;
            };
            /**
             * @default refresh_token
             * @enum {string}
             */
            refreshWith: "refresh_token" | "access_token";
            refreshBeforeExpirySeconds?: number;
            /** @default {} */
            tokenResponse: {
                /** @default access_token */
                accessToken: string | string[];
                /** @default refresh_token */
                refreshToken: string | string[];
                /** @default expires_in */
                expiresIn: string | string[];
                expiresAt?: string;
                /** @default scope */
                scope: string | string[];
                scopeSeparator?: string;
                okMember?: {
                    path: string;
                    value: string | boolean | number;
                };
                /** @default error */
                errorCode: string | string[];
                /** @default {} */
                errorMeanings: {
                    [key: string]: "invalid_grant" | "client" | "transient" | "rejected";
                };
                prolonged?: {
                    path: string;
                    value: string | boolean | number;
                };
                /**
                 * @default [
                 *       "bearer"
                 *     ]
                 */
                tokenTypes: string[];
            };
            /** @default [] */
            refusals: {
                code: string;
                words?: string;
                remedy: string;
                consentUrl?: string;
            }[];
            /** @default null */
            accessTokenLifetimeSeconds: number | null;
            /**
             * @default once
             * @enum {string}
             */
            refreshTokenUse: "once" | "many";
            /** @default 0 */
            refreshTokenReuseSeconds: number;
            /** @default {} */
            revocation: {
                /**
                 * @default refresh_token
                 * @enum {string}
                 */
                token: "refresh_token" | "access_token";
                /**
                 * @default token
                 * @enum {string}
                 */
                ends: "token" | "grant" | "workspace";
                /**
                 * @default POST
                 * @enum {string}
                 */
                method: "POST" | "GET" | "DELETE";
                /**
                 * @default client
                 * @enum {string}
                 */
                clientAuth: "client" | "basic" | "bearer" | "none";
                /** @default token */
                tokenParameter: string | null;
                /**
                 * @default body
                 * @enum {string}
                 */
                in: "body" | "query";
                /**
                 * @default form
                 * @enum {string}
                 */
                encoding: "form" | "json";
                /** @default {} */
                extraParams: {
                    [key: string]: string;
                };
                /** @default {} */
                headers: {
                    [key: string]: string;
                };
            };
            noRevocation?: string;
            jwt?: {
                /**
                 * @default RS256
                 * @enum {string}
                 */
                alg: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512";
                /** @default {} */
                header: {
                    [key: string]: string;
                };
                claims: {
                    [key: string]: unknown;
                };
                /** @default 300 */
                lifetimeSeconds: number;
                /** @default 0 */
                issuedSecondsAgo: number;
                /** @default {privateKey} */
                key: string;
                passphrase?: string;
            };
            login?: {
                steps: {
                    /**
                     * @default POST
                     * @enum {string}
                     */
                    method: "POST" | "GET" | "DELETE";
                    url: string;
                    /**
                     * @default form
                     * @enum {string}
                     */
                    encoding: "form" | "json" | "query";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    body: {
                        [key: string]: unknown;
                    };
                    awsSigV4?: {
                        service: string;
                        region: string;
                        /** @default {clientId} */
                        accessKeyId: string;
                        /** @default {clientSecret} */
                        secretAccessKey: string;
                    };
                }[];
                identity?: {
                    /**
                     * @default POST
                     * @enum {string}
                     */
                    method: "POST" | "GET" | "DELETE";
                    url: string;
                    /**
                     * @default form
                     * @enum {string}
                     */
                    encoding: "form" | "json" | "query";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    body: {
                        [key: string]: unknown;
                    };
                    awsSigV4?: {
                        service: string;
                        region: string;
                        /** @default {clientId} */
                        accessKeyId: string;
                        /** @default {clientSecret} */
                        secretAccessKey: string;
                    };
                    path: string;
                    title: string;
                    description?: string;
                };
                refresh?: {
                    /**
                     * @default POST
                     * @enum {string}
                     */
                    method: "POST" | "GET" | "DELETE";
                    url: string;
                    /**
                     * @default form
                     * @enum {string}
                     */
                    encoding: "form" | "json" | "query";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    body: {
                        [key: string]: unknown;
                    };
                };
                /**
                 * @default json
                 * @enum {string}
                 */
                answer: "json" | "text" | "xml";
                credential?: string;
                /**
                 * @default [
                 *       401,
                 *       403
                 *     ]
                 */
                refusedStatuses: number[];
                /** @default [] */
                goneStatuses: number[];
            };
            logout?: {
                /**
                 * @default POST
                 * @enum {string}
                 */
                method: "POST" | "GET" | "DELETE";
                url: string;
                /**
                 * @default form
                 * @enum {string}
                 */
                encoding: "form" | "json" | "query";
                /** @default {} */
                headers: {
                    [key: string]: string;
                };
                /** @default {} */
                body: {
                    [key: string]: unknown;
                };
            };
            installation?: {
                variable: string;
                list: {
                    url: string;
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    itemsPath: string;
                    id: string;
                    /** @default page */
                    pageParameter: string;
                };
                pending?: {
                    parameter: string;
                    value: string;
                };
            };
            account?: {
                id: {
                    /**
                     * @default token-response
                     * @enum {string}
                     */
                    from: "token-response" | "id-token" | "callback" | "request" | "variable";
                    path: string | string[];
                    /**
                     * @default all
                     * @enum {string}
                     */
                    take: "all" | "first";
                    pattern?: string;
                };
                name?: {
                    /**
                     * @default token-response
                     * @enum {string}
                     */
                    from: "token-response" | "id-token" | "callback" | "request" | "variable";
                    path: string | string[];
                    /**
                     * @default all
                     * @enum {string}
                     */
                    take: "all" | "first";
                    pattern?: string;
                };
                request?: {
                    url: string;
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
            };
            tenants?: {
                /**
                 * @default account
                 * @enum {string}
                 */
                kind: "account" | "organization" | "company" | "site" | "workspace" | "business" | "location" | "project" | "page";
                request: {
                    url: string;
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                /**
                 * @default {
                 *       "by": "none"
                 *     }
                 */
                paging: {
                    /** @constant */
                    by: "none";
                } | {
                    /** @constant */
                    by: "link";
                    path: string;
                } | {
                    /** @constant */
                    by: "link-header";
                } | {
                    /** @constant */
                    by: "token";
                    path: string;
                    parameter: string;
                } | {
                    /** @constant */
                    by: "page";
                    parameter: string;
                    /** @default 1 */
                    first: number;
                } | {
                    /** @constant */
                    by: "offset";
                    parameter: string;
                };
                items?: string;
                id: string | string[];
                name?: string | string[];
                detail?: string | string[];
                /** @default [] */
                where: {
                    path: string;
                    is?: string[];
                    not?: string[];
                    matches?: string;
                }[];
                /** @default true */
                asked: boolean;
            };
            basic?: {
                /** @default {username} */
                username: string;
                /** @default {password} */
                password: string;
            };
            /**
             * @default {
             *       "name": "Authorization",
             *       "template": "Bearer {accessToken}"
             *     }
             */
            accessTokenHeader: {
                name: string;
                template: string;
            };
            /** @default {} */
            apiHeaders: {
                [key: string]: string;
            };
            /** @default {} */
            apiQuery: {
                [key: string]: string;
            };
            accessTokenProof?: {
                parameter: string;
                unless?: string;
            };
            /** @default [] */
            callerCredentials: ({
                /** @constant */
                in: "scheme";
                scheme: string;
            } | {
                /** @constant */
                in: "header";
                name: string;
                /** @constant */
                carriesCredential?: true;
            } | {
                /** @constant */
                in: "basic";
                /** @enum {string} */
                part: "username" | "password";
            } | {
                /** @constant */
                in: "signature";
                scheme: string;
                parameter: string;
            })[];
            timeouts?: {
                firstByteSeconds?: number;
                idleSeconds?: number;
            };
            callRefused?: {
                status: number | number[];
                path: string;
                values: string[];
            };
            paging?: {
                links?: string[];
                /** @enum {string} */
                style?: "link" | "cursor" | "offset" | "page" | "none";
                next?: string;
                parameter?: string;
                limitParameter?: string;
                items?: string;
            };
            retry?: {
                /** @default [] */
                statuses: number[];
                /** @default [] */
                after: string[];
                /** @default [] */
                at: string[];
            };
            rateLimit?: {
                /**
                 * @default connection
                 * @enum {string}
                 */
                of: "connection" | "integration";
                /**
                 * @default [
                 *       429
                 *     ]
                 */
                statuses: number[];
                limit?: string;
                remaining?: string;
                reset?: string;
                /**
                 * @default seconds
                 * @enum {string}
                 */
                resetUnit: "seconds" | "ms" | "epoch-seconds" | "epoch-ms" | "iso" | "duration" | "window-ms";
                combined?: string;
            };
            /** @default [] */
            responseHeaders: string[];
            reads?: string[];
            writes?: string[];
            batch?: string[];
            graphql?: string[];
            overrides?: string[];
            /** @constant */
            methodsTell?: true;
            records?: {
                paths: string[];
                /**
                 * @default [
                 *       "PUT",
                 *       "PATCH",
                 *       "DELETE"
                 *     ]
                 */
                methods: ("PUT" | "PATCH" | "POST" | "DELETE")[];
                select?: {
                    parameter: string;
                    member: string;
                };
                answer?: string;
            }[];
            /** @default {} */
            hosts: {
                [key: string]: {
                    url: string;
                    serves: string;
                };
            };
            mcp?: {
                url: string;
                /**
                 * @default automatic
                 * @enum {string}
                 */
                registration: "automatic" | "operator";
                registrationUrl?: string;
            };
            probe?: {
                url?: string;
                /** @enum {string} */
                method?: "GET" | "POST";
                headers?: {
                    [key: string]: string;
                };
                body?: {
                    [key: string]: unknown;
                };
                refused?: number[];
                accepted?: number[];
                refusedWhen?: {
                    path: string;
                    values?: string[];
                };
                acceptedWhen?: {
                    path: string;
                    values?: string[];
                };
                answerHas?: string;
            };
            noProbe?: string;
            /** @default {} */
            polls: {
                [key: string]: {
                    title?: string;
                    object: string;
                    /** Format: uri */
                    docsUrl?: string;
                    /** @default [] */
                    scopes: string[];
                    /** @default [] */
                    notes: string[];
                    clientToken?: {
                        /** @default [] */
                        scopes: string[];
                    };
                    /** @default 100 */
                    pageSize: number;
                    /** @default [] */
                    fields: string[];
                    /** @default {} */
                    parameters: {
                        [key: string]: {
                            description: string;
                            default?: string;
                            example?: string;
                        };
                    };
                    record: {
                        id: string | string[];
                        updatedAt?: {
                            path: string | string[];
                            /**
                             * @default iso
                             * @enum {string}
                             */
                            format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        };
                        createdAt?: {
                            path: string | string[];
                            /**
                             * @default iso
                             * @enum {string}
                             */
                            format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        };
                        deleted?: {
                            path: string;
                            values?: string[];
                        };
                        /** @default [] */
                        ignore: string[];
                    };
                    success?: {
                        path: string;
                        /** @default true */
                        value: string;
                    };
                    changes?: {
                        /** @constant */
                        by: "timestamp";
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /**
                         * @default {
                         *       "by": "none"
                         *     }
                         */
                        paging: {
                            /** @constant */
                            by: "none";
                        } | {
                            /** @constant */
                            by: "token";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link-header";
                            /** @default true */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "offset";
                            more?: string;
                            next?: string;
                        } | {
                            /** @constant */
                            by: "page";
                            /** @default 1 */
                            first: number;
                            more?: string;
                        };
                        items?: string;
                        /**
                         * @default iso
                         * @enum {string}
                         */
                        format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        /** @default 1 */
                        unitMs: number;
                        /**
                         * @default unordered
                         * @enum {string}
                         */
                        order: "ascending" | "descending" | "unordered";
                        /** @default false */
                        isExclusive: boolean;
                        /** @default 60 */
                        overlapSeconds: number;
                        tie?: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /** @default  */
                        firstId: string;
                        keptDays?: number;
                    } | {
                        /** @constant */
                        by: "token";
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /**
                         * @default {
                         *       "by": "none"
                         *     }
                         */
                        paging: {
                            /** @constant */
                            by: "none";
                        } | {
                            /** @constant */
                            by: "token";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link-header";
                            /** @default true */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "offset";
                            more?: string;
                            next?: string;
                        } | {
                            /** @constant */
                            by: "page";
                            /** @default 1 */
                            first: number;
                            more?: string;
                        };
                        items?: string;
                        token: string;
                        /** @default false */
                        isLink: boolean;
                        start?: {
                            request: {
                                /**
                                 * @default GET
                                 * @enum {string}
                                 */
                                method: "GET" | "POST";
                                path: string;
                                /** @default {} */
                                query: {
                                    [key: string]: string;
                                };
                                /** @default {} */
                                headers: {
                                    [key: string]: string;
                                };
                                body?: {
                                    [key: string]: unknown;
                                };
                            };
                            token: string;
                        };
                        /** @default {} */
                        expired: {
                            /**
                             * @default [
                             *       410
                             *     ]
                             */
                            statuses: number[];
                            error?: {
                                path: string;
                                values: string[];
                            };
                        };
                    } | {
                        /** @constant */
                        by: "log";
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        earliest: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        latest: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        items?: string;
                        token: string;
                        /**
                         * @default [
                         *       204
                         *     ]
                         */
                        nothing: number[];
                        /** @default {} */
                        expired: {
                            /**
                             * @default [
                             *       404
                             *     ]
                             */
                            statuses: number[];
                            error?: {
                                path: string;
                                values: string[];
                            };
                        };
                        file?: string;
                        change: {
                            path: string;
                            /** @default [] */
                            created: string[];
                            /** @default [] */
                            updated: string[];
                            /** @default [] */
                            deleted: string[];
                        };
                        objects?: {
                            path: string;
                            names: {
                                [key: string]: string;
                            };
                        };
                        account?: string;
                        subscriptions?: {
                            each: string;
                            list: {
                                request: {
                                    /**
                                     * @default GET
                                     * @enum {string}
                                     */
                                    method: "GET" | "POST";
                                    path: string;
                                    /** @default {} */
                                    query: {
                                        [key: string]: string;
                                    };
                                    /** @default {} */
                                    headers: {
                                        [key: string]: string;
                                    };
                                    body?: {
                                        [key: string]: unknown;
                                    };
                                };
                                items?: string;
                            };
                            match: {
                                [key: string]: string;
                            };
                            create: {
                                /**
                                 * @default GET
                                 * @enum {string}
                                 */
                                method: "GET" | "POST";
                                path: string;
                                /** @default {} */
                                query: {
                                    [key: string]: string;
                                };
                                /** @default {} */
                                headers: {
                                    [key: string]: string;
                                };
                                body?: {
                                    [key: string]: unknown;
                                };
                            };
                        };
                    };
                    list?: {
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /**
                         * @default {
                         *       "by": "none"
                         *     }
                         */
                        paging: {
                            /** @constant */
                            by: "none";
                        } | {
                            /** @constant */
                            by: "token";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link-header";
                            /** @default true */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "offset";
                            more?: string;
                            next?: string;
                        } | {
                            /** @constant */
                            by: "page";
                            /** @default 1 */
                            first: number;
                            more?: string;
                        };
                        items?: string;
                    };
                    deleted?: {
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /**
                         * @default {
                         *       "by": "none"
                         *     }
                         */
                        paging: {
                            /** @constant */
                            by: "none";
                        } | {
                            /** @constant */
                            by: "token";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link-header";
                            /** @default true */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "offset";
                            more?: string;
                            next?: string;
                        } | {
                            /** @constant */
                            by: "page";
                            /** @default 1 */
                            first: number;
                            more?: string;
                        };
                        items?: string;
                        id: string | string[];
                        deletedAt?: {
                            path: string | string[];
                            /**
                             * @default iso
                             * @enum {string}
                             */
                            format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        };
                        /**
                         * @default iso
                         * @enum {string}
                         */
                        format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        /** @default 60 */
                        overlapSeconds: number;
                        /** @default 0 */
                        spanSecondsMin: number;
                        keptDays?: number;
                        covered?: {
                            path: string | string[];
                            /**
                             * @default iso
                             * @enum {string}
                             */
                            format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        };
                    };
                };
            };
            awsSigV4?: {
                /** @default {accessKeyId} */
                accessKeyId: string;
                /** @default {secretAccessKey} */
                secretAccessKey: string;
                /** @default {sessionToken} */
                sessionToken: string;
                service: string;
                region: string;
                /** @default {} */
                serviceNames: {
                    [key: string]: string;
                };
                /** @default {} */
                hosts: {
                    [key: string]: {
                        service?: string;
                        region?: string;
                    };
                };
                /** @default 1048576 */
                bodyBytesMax: number;
                /** @default false */
                unsignedPayload: boolean;
            };
            oauth1?: {
                /**
                 * @default HMAC-SHA1
                 * @enum {string}
                 */
                signatureMethod: "HMAC-SHA1" | "HMAC-SHA256" | "PLAINTEXT";
                /** @default {clientId} */
                consumerKey: string;
                /** @default {clientSecret} */
                consumerSecret: string;
                /** @default {accessToken} */
                token: string;
                /** @default {accessTokenSecret} */
                tokenSecret: string;
                realm?: {
                    value: string;
                    /** @default false */
                    upperCase: boolean;
                    /** @default {} */
                    replace: {
                        [key: string]: string;
                    };
                };
                requestTokenUrl?: string;
                /** @default 1048576 */
                bodyBytesMax: number;
            };
            jwtPerCall?: {
                /** @enum {string} */
                alg: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "HS256" | "HS384" | "HS512";
                /** @default {privateKey} */
                key: string;
                passphrase?: string;
                /**
                 * @default utf8
                 * @enum {string}
                 */
                keyEncoding: "utf8" | "base64" | "base64url" | "hex";
                /** @default {} */
                header: {
                    [key: string]: string;
                };
                claims: {
                    [key: string]: unknown;
                };
                /** @default 300 */
                lifetimeSeconds: number;
                /** @default 0 */
                issuedSecondsAgo: number;
                /** @default {} */
                parts: {
                    [key: string]: {
                        of: string;
                        separator: string;
                        index: number;
                    };
                };
                /** @default 1048576 */
                bodyBytesMax: number;
            };
            wsse?: {
                /** @default {username} */
                username: string;
                /** @default {secret} */
                secret: string;
                /**
                 * @default bytes
                 * @enum {string}
                 */
                digest: "bytes" | "hex";
            };
            clientCertificate?: {
                /**
                 * @default [
                 *       "token",
                 *       "api"
                 *     ]
                 */
                at: ("token" | "api")[];
                certificate: string;
                privateKey: string;
                passphrase?: string;
            };
            /** @default [] */
            setupSteps: string[];
            /** @default {} */
            scopeDescriptions: {
                [key: string]: string;
            };
            credentialHint?: string;
            /**
             * @default {
             *       "supported": false
             *     }
             */
            webhooks: {
                supported: boolean;
                /** Format: uri */
                docsUrl?: string;
                notes?: string[];
                /** @enum {string} */
                scope?: "application" | "connection" | "both";
                registration?: ({
                    /** @constant */
                    by: "portal";
                    /** @default [] */
                    steps: string[];
                } | {
                    /** @constant */
                    by: "api";
                    /**
                     * @default connection
                     * @enum {string}
                     */
                    authorization: "connection" | "client" | "application" | "none";
                    request: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                    };
                    /** @constant */
                    perEvent?: true;
                    /** @default {} */
                    parameters: {
                        [key: string]: {
                            title: string;
                            description?: string;
                        };
                    };
                    /** @default [] */
                    events: string[];
                    /** @default {} */
                    answer: {
                        id?: string;
                        resourceId?: string;
                        secret?: string;
                        expiresAt?: string;
                    };
                    secretRequest?: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                        secret: string;
                    };
                    confirm?: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                    };
                    expiresSeconds?: number;
                    renew?: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                    } | "again";
                    remove?: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                    };
                })[];
                clientToken?: {
                    /** @default [] */
                    scopes: string[];
                };
                signature?: {
                    /** @constant */
                    scheme: "hmac";
                    /**
                     * @default sha256
                     * @enum {string}
                     */
                    hash: "sha1" | "sha256" | "sha512" | "md5";
                    at: string;
                    alsoAt?: string[];
                    prefix?: string;
                    listSeparator?: string;
                    afterKeyName?: string;
                    signed: string[];
                    /**
                     * @default hex
                     * @enum {string}
                     */
                    encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                    timestamp?: {
                        at: string;
                        /**
                         * @default seconds
                         * @enum {string}
                         */
                        unit: "seconds" | "milliseconds" | "iso";
                        /** @default 300 */
                        toleranceSeconds: number;
                    };
                    /**
                     * @default text
                     * @enum {string}
                     */
                    keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                    /** @enum {string} */
                    keyDigest?: "sha1" | "sha256";
                    /** @constant */
                    keyAfterColon?: true;
                    /** @constant */
                    perItem?: true;
                    urlDecoded?: string[];
                } | {
                    /** @constant */
                    scheme: "digest";
                    /**
                     * @default sha256
                     * @enum {string}
                     */
                    hash: "sha1" | "sha256" | "sha512" | "md5";
                    at: string;
                    alsoAt?: string[];
                    prefix?: string;
                    listSeparator?: string;
                    afterKeyName?: string;
                    signed: string[];
                    /**
                     * @default hex
                     * @enum {string}
                     */
                    encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                    timestamp?: {
                        at: string;
                        /**
                         * @default seconds
                         * @enum {string}
                         */
                        unit: "seconds" | "milliseconds" | "iso";
                        /** @default 300 */
                        toleranceSeconds: number;
                    };
                    urlDecoded?: string[];
                } | {
                    /** @constant */
                    scheme: "public-key";
                    /** @enum {string} */
                    algorithm: "ed25519" | "ecdsa-sha256" | "ecdsa-sha1" | "rsa-sha256";
                    at: string;
                    alsoAt?: string[];
                    prefix?: string;
                    listSeparator?: string;
                    afterKeyName?: string;
                    signed: string[];
                    /**
                     * @default hex
                     * @enum {string}
                     */
                    encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                    timestamp?: {
                        at: string;
                        /**
                         * @default seconds
                         * @enum {string}
                         */
                        unit: "seconds" | "milliseconds" | "iso";
                        /** @default 300 */
                        toleranceSeconds: number;
                    };
                    signaturePath?: string;
                    key?: {
                        url?: string;
                        body?: {
                            [key: string]: string;
                        };
                        idAt?: string;
                        idInSignature?: string;
                        hosts?: string[];
                        path?: string;
                        certificateName?: string;
                        keyPath?: string;
                        expiredPath?: string;
                        /** @enum {string} */
                        authorization?: "application" | "connection";
                    };
                } | {
                    /** @constant */
                    scheme: "jwt";
                    at: string | "body";
                    prefix?: string[];
                    /** @enum {string} */
                    algorithm: "HS256" | "RS256" | "ES256";
                    /**
                     * @default text
                     * @enum {string}
                     */
                    keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                    key?: {
                        url?: string;
                        body?: {
                            [key: string]: string;
                        };
                        idAt?: string;
                        idInSignature?: string;
                        hosts?: string[];
                        path?: string;
                        certificateName?: string;
                        keyPath?: string;
                        expiredPath?: string;
                        /** @enum {string} */
                        authorization?: "application" | "connection";
                    };
                    issuer?: string;
                    audience?: string;
                    /** @default {} */
                    claims: {
                        [key: string]: string | boolean;
                    };
                    bodyHash?: {
                        claim: string;
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "base64";
                    };
                    maxAgeSeconds?: number;
                } | {
                    /** @constant */
                    scheme: "token";
                    at: string;
                    prefix?: string;
                } | {
                    /** @constant */
                    scheme: "basic";
                } | {
                    /** @constant */
                    scheme: "none";
                };
                alternatives?: {
                    [key: string]: {
                        /** @constant */
                        scheme: "hmac";
                        /**
                         * @default sha256
                         * @enum {string}
                         */
                        hash: "sha1" | "sha256" | "sha512" | "md5";
                        at: string;
                        alsoAt?: string[];
                        prefix?: string;
                        listSeparator?: string;
                        afterKeyName?: string;
                        signed: string[];
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                        timestamp?: {
                            at: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            unit: "seconds" | "milliseconds" | "iso";
                            /** @default 300 */
                            toleranceSeconds: number;
                        };
                        /**
                         * @default text
                         * @enum {string}
                         */
                        keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                        /** @enum {string} */
                        keyDigest?: "sha1" | "sha256";
                        /** @constant */
                        keyAfterColon?: true;
                        /** @constant */
                        perItem?: true;
                        urlDecoded?: string[];
                    } | {
                        /** @constant */
                        scheme: "digest";
                        /**
                         * @default sha256
                         * @enum {string}
                         */
                        hash: "sha1" | "sha256" | "sha512" | "md5";
                        at: string;
                        alsoAt?: string[];
                        prefix?: string;
                        listSeparator?: string;
                        afterKeyName?: string;
                        signed: string[];
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                        timestamp?: {
                            at: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            unit: "seconds" | "milliseconds" | "iso";
                            /** @default 300 */
                            toleranceSeconds: number;
                        };
                        urlDecoded?: string[];
                    } | {
                        /** @constant */
                        scheme: "public-key";
                        /** @enum {string} */
                        algorithm: "ed25519" | "ecdsa-sha256" | "ecdsa-sha1" | "rsa-sha256";
                        at: string;
                        alsoAt?: string[];
                        prefix?: string;
                        listSeparator?: string;
                        afterKeyName?: string;
                        signed: string[];
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                        timestamp?: {
                            at: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            unit: "seconds" | "milliseconds" | "iso";
                            /** @default 300 */
                            toleranceSeconds: number;
                        };
                        signaturePath?: string;
                        key?: {
                            url?: string;
                            body?: {
                                [key: string]: string;
                            };
                            idAt?: string;
                            idInSignature?: string;
                            hosts?: string[];
                            path?: string;
                            certificateName?: string;
                            keyPath?: string;
                            expiredPath?: string;
                            /** @enum {string} */
                            authorization?: "application" | "connection";
                        };
                    } | {
                        /** @constant */
                        scheme: "jwt";
                        at: string | "body";
                        prefix?: string[];
                        /** @enum {string} */
                        algorithm: "HS256" | "RS256" | "ES256";
                        /**
                         * @default text
                         * @enum {string}
                         */
                        keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                        key?: {
                            url?: string;
                            body?: {
                                [key: string]: string;
                            };
                            idAt?: string;
                            idInSignature?: string;
                            hosts?: string[];
                            path?: string;
                            certificateName?: string;
                            keyPath?: string;
                            expiredPath?: string;
                            /** @enum {string} */
                            authorization?: "application" | "connection";
                        };
                        issuer?: string;
                        audience?: string;
                        /** @default {} */
                        claims: {
                            [key: string]: string | boolean;
                        };
                        bodyHash?: {
                            claim: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding: "hex" | "base64";
                        };
                        maxAgeSeconds?: number;
                    } | {
                        /** @constant */
                        scheme: "token";
                        at: string;
                        prefix?: string;
                    } | {
                        /** @constant */
                        scheme: "basic";
                    } | {
                        /** @constant */
                        scheme: "none";
                    };
                };
                secret?: {
                    /** @enum {string} */
                    from: "client" | "operator" | "gateway" | "registration" | "handshake" | "credential" | "none";
                    template?: string;
                    title?: string;
                    hint?: string;
                };
                /** @enum {string} */
                verifyToken?: "operator" | "gateway";
                handshake?: {
                    /**
                     * @default [
                     *       "POST"
                     *     ]
                     */
                    methods: ("GET" | "HEAD" | "POST")[];
                    /** @default [] */
                    when: string[];
                    /** @constant */
                    signed?: true;
                    verifyToken?: string;
                    keepSecret?: string;
                    registration?: string;
                    computed?: {
                        /** @enum {string} */
                        scheme: "hmac" | "digest";
                        /**
                         * @default sha256
                         * @enum {string}
                         */
                        hash: "sha1" | "sha256" | "sha512" | "md5";
                        signed: string[];
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                        prefix?: string;
                        /**
                         * @default token
                         * @enum {string}
                         */
                        challenge: "token" | "hex";
                        /**
                         * @default text
                         * @enum {string}
                         */
                        keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                        /** @enum {string} */
                        keyDigest?: "sha1" | "sha256";
                        /** @constant */
                        keyAfterColon?: true;
                    };
                    refusal?: number;
                    /** @default {} */
                    answer: {
                        /** @default 200 */
                        status: number;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        text?: string;
                        json?: {
                            [key: string]: string | number;
                        };
                    };
                }[];
                acknowledge?: {
                    /** @default 200 */
                    status: number;
                    /** @default  */
                    body: string;
                    contentType?: string;
                    echoHeaders?: string[];
                    withinSeconds?: number;
                };
                retryHours?: number;
                payload?: {
                    /**
                     * @default json
                     * @enum {string}
                     */
                    format: "json" | "form" | "form-json" | "multipart-json" | "xml" | "jwt" | "empty";
                    field?: string;
                    decode?: string;
                    items?: string | string[];
                    headerPrefix?: string;
                    xmlElements?: string[];
                    /**
                     * @default item
                     * @enum {string}
                     */
                    data: "item" | "root";
                    eventType?: string | string[];
                    eventId?: string | string[];
                    objectId?: string | string[];
                    objectType?: string | string[];
                    account?: string | string[];
                    occurredAt?: string | string[];
                    /**
                     * @default iso
                     * @enum {string}
                     */
                    occurredAtUnit: "seconds" | "milliseconds" | "iso";
                    dedupe?: string | string[];
                };
                events?: {
                    /** @default {} */
                    names: {
                        [key: string]: {
                            object: string;
                            /** @enum {string} */
                            change: "created" | "updated" | "deleted" | "other";
                        };
                    };
                    /** @default . */
                    separator: string;
                    /**
                     * @default last
                     * @enum {string}
                     */
                    changeAt: "first" | "last";
                    /** @default {} */
                    changes: {
                        [key: string]: "created" | "updated" | "deleted" | "other";
                    };
                    /** @default {} */
                    objects: {
                        [key: string]: string;
                    };
                    object?: string;
                };
            };
            /** @default [] */
            grants: ({
                id: string;
                title: string;
                purpose?: string;
                /** @enum {string} */
                auth: "oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse";
            } & {
                [key: string]: unknown;
            })[];
        };
        ProviderDryRun: {
            provider: components["schemas"]["Provider"];
            requests: {
                /** @description The gateway’s own client, at the authorization server of an MCP server. */
                registration: components["schemas"]["ProviderRequest"] | null;
                /** @description Temporary credentials of OAuth 1.0a, before the user is asked. */
                temporaryToken: components["schemas"]["ProviderRequest"] | null;
                /** @description What the browser of the user is sent to; null where no browser is sent anywhere. */
                authorization: components["schemas"]["ProviderRequest"] | null;
                /** @description Every request of a log-in with a password or a key, in order; empty where there is none. */
                logIn: components["schemas"]["ProviderRequest"][];
                /** @description The code, or the client’s own credentials, for tokens. */
                token: components["schemas"]["ProviderRequest"] | null;
                /** @description The second request, where the provider has one. */
                tokenExchange: components["schemas"]["ProviderRequest"] | null;
                /** @description A new access token. */
                refresh: components["schemas"]["ProviderRequest"] | null;
                /** @description Giving a grant back. */
                revocation: components["schemas"]["ProviderRequest"] | null;
                /** @description What proves a credential, where it is not the account call. */
                probe: components["schemas"]["ProviderRequest"] | null;
                /** @description Whose account it is. */
                account: components["schemas"]["ProviderRequest"] | null;
                /** @description A proxied call of `GET /example?page=1`. */
                call: components["schemas"]["ProviderRequest"] | null;
            };
            /** @description What an MCP server answered when it was asked; null for all others. */
            discovery: components["schemas"]["ProviderDiscovery"] | null;
            /** @description What could not be shown, and why. */
            notes: string[];
        };
        ProviderRequest: {
            method: string;
            url: string;
            headers: {
                [key: string]: string;
            };
            body: string | null;
        };
        ProviderDiscovery: {
            steps: {
                method: string;
                url: string;
                /** @description Null where there was no answer. */
                status: number | null;
                result: string;
            }[];
            /** @description Why no authorization server was found. */
            fault: string | null;
            issuer: string | null;
            resource: string | null;
            scopes: string[];
            /** @description How an integration would get its client there; `operator`: it has to bring one. */
            clientBy: ("operator" | "document" | "registration") | null;
        };
        /** @description Fields of a provider file, each in the place of the one before; null takes a field away. */
        UpdateProvider: {
            /** @description the short name of the provider in proxy paths, such as acme; only with `mcp` it is made of the name where it is left out */
            id?: string;
            /** @description the name of the provider as people read it */
            name?: string;
            /**
             * @default other
             * @enum {string}
             */
            category: "crm" | "marketing" | "support" | "communication" | "calendar-email" | "productivity" | "project-management" | "storage" | "accounting" | "commerce" | "payments" | "hr" | "developer" | "analytics" | "social" | "identity" | "design" | "sales" | "data" | "security" | "health" | "education" | "legal" | "media" | "other";
            /**
             * @description how its API is authenticated at
             * @enum {string}
             */
            auth?: "oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse";
            authorizationUrl?: string;
            tokenUrl?: string;
            refreshUrl?: string;
            revocationUrl?: string;
            /** @description the address that proxied paths follow */
            apiBaseUrl?: string;
            /**
             * @default
             * @enum {string}
             */
            scopeSeparator: " " | "," | "+";
            /** @default null */
            pkce: boolean | null;
            /** @default null */
            tokenEndpointAuth: ("client_secret_post" | "client_secret_basic" | "none" | "tls_client_auth") | null;
            /** @default {} */
            authorizationParams: {
                [key: string]: string;
            };
            /** @default {} */
            tokenParams: {
                [key: string]: string;
            };
            /** @default {} */
            refreshParams: {
                [key: string]: string;
            };
            /** @default {} */
            variables: {
                [key: string]: string | {
                    /**
                     * @default user
                     * @enum {string}
                     */
                    from: "user" | "integration" | "application" | "external-id" | "callback" | "token-response" | "account" | "tenant";
                    path?: string;
                    part?: string;
                    title?: string;
                    description?: string;
                    example?: string;
                    pattern?: string;
                    unusable?: {
                        pattern: string;
                        message: string;
                    }[];
                    pastedPrefixes?: string[];
                    options?: {
                        value: string;
                        title: string;
                    }[];
                    default?: string;
                    /** @default false */
                    secret: boolean;
                    /** @constant */
                    optional?: true;
                    /** @enum {string} */
                    input?: "private-key" | "certificate" | "json";
                    members?: string[];
                };
            };
            apiKey?: {
                /** @enum {string} */
                in: "header" | "query" | "path";
                name: string;
                template: string;
            };
            openapi?: string[];
            /** Format: uri */
            docsUrl?: string;
            /** @default [] */
            defaultScopes: string[];
            /** @default [] */
            quirks: string[];
            agree?: number;
            conflicts?: unknown[];
            /** Format: uri */
            logoUrl?: string;
            /** @default [] */
            notes: string[];
            /** Format: uri */
            portalUrl?: string;
            icon?: string;
            /** @enum {string} */
            status?: "unknown" | "available" | "partner-only" | "sign-in-only" | "limited" | "ended";
            statusDate?: string;
            statusNote?: string;
            /** @enum {string} */
            evidence?: "documentation" | "several-sources" | "one-source" | "transcribed";
            sources?: (string | {
                from: string;
                says: ("endpoints" | "apiBase" | "keyPlacement" | "scopes" | "account" | "probe" | "webhooks" | "polls" | "tenants" | "hosts" | "oneHost" | "grants" | "access")[];
                date: string;
                /** @constant */
                by?: "vendor";
            })[];
            checked?: string;
            issuer?: string;
            /** @default false */
            issuerAlwaysSent: boolean;
            /** @default scope */
            scopeParameter: string;
            optionalScopeParameter?: string;
            /** @default {} */
            scopeComparison: {
                /** @constant */
                ignoreCase?: true;
                prefixes?: string[];
                aliases?: {
                    [key: string]: string;
                };
                covers?: {
                    [key: string]: string[];
                };
            };
            /** @default client_id */
            clientIdParameter: string;
            /** @default redirect_uri */
            redirectUriParameter: string;
            redirectUriTemplate?: string;
            /** @default code */
            responseType: string;
            /** @enum {string} */
            responseMode?: "form_post";
            authorizationFragment?: string;
            /** @default {} */
            callback: {
                /** @default code */
                codeParameter: string;
                signature?: {
                    parameter: string;
                    /**
                     * @default sha256
                     * @enum {string}
                     */
                    algorithm: "sha256";
                };
                /** @default {} */
                mustMatch: {
                    [key: string]: string;
                };
            };
            /** @default {} */
            tokenRequest: {
                /**
                 * @default POST
                 * @enum {string}
                 */
                method: "POST" | "GET";
                /**
                 * @default body
                 * @enum {string}
                 */
                in: "body" | "query";
                /**
                 * @default form
                 * @enum {string}
                 */
                encoding: "form" | "json";
                /** @default {} */
                headers: {
                    [key: string]: string;
                };
                /** @default {} */
                parameterNames: {
                    [key: string]: string;
                };
                /** @default [] */
                omit: string[];
            };
            /** @default {} */
            refreshRequest: {
                /** @enum {string} */
                method?: "POST" | "GET";
                /** @enum {string} */
                in?: "body" | "query";
                /** @enum {string} */
                encoding?: "form" | "json";
                headers?: {
                    [key: string]: string;
                };
                parameterNames?: {
                    [key: string]: string;
                };
                omit?: string[];
                /** @enum {string} */
                tokenEndpointAuth?: "client_secret_post" | "client_secret_basic" | "none" | "tls_client_auth";
            };
            clientAssertion?: {
                /**
                 * @default client_assertion
                 * @enum {string}
                 */
                as: "client_secret" | "client_assertion";
                /**
                 * @default RS256
                 * @enum {string}
                 */
                alg: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512";
                /** @default {clientId} */
                issuer: string;
                /** @default {clientId} */
                subject: string;
                /** @default {tokenUrl} */
                audience: string;
                keyId?: string;
                /** @default {} */
                header: {
                    [key: string]: string;
                };
                /** @default 300 */
                lifetimeSeconds: number;
            };
            tokenExchange?: {
                url: string;
                /**
                 * @default GET
                 * @enum {string}
                 */
                method: "GET" | "POST";
                /** @default {} */
                params: {
                    [key: string]: string;
                };
                /** @default access_token */
                accessToken: string;
                /** @default expires_in */
                expiresIn: string;
                /** @default false */
                afterRefresh: boolean;
            };
            /**
             * @default refresh_token
             * @enum {string}
             */
            refreshWith: "refresh_token" | "access_token";
            refreshBeforeExpirySeconds?: number;
            /** @default {} */
            tokenResponse: {
                /** @default access_token */
                accessToken: string | string[];
                /** @default refresh_token */
                refreshToken: string | string[];
                /** @default expires_in */
                expiresIn: string | string[];
                expiresAt?: string;
                /** @default scope */
                scope: string | string[];
                scopeSeparator?: string;
                okMember?: {
                    path: string;
                    value: string | boolean | number;
                };
                /** @default error */
                errorCode: string | string[];
                /** @default {} */
                errorMeanings: {
                    [key: string]: "invalid_grant" | "client" | "transient" | "rejected";
                };
                prolonged?: {
                    path: string;
                    value: string | boolean | number;
                };
                /**
                 * @default [
                 *       "bearer"
                 *     ]
                 */
                tokenTypes: string[];
            };
            /** @default [] */
            refusals: {
                code: string;
                words?: string;
                remedy: string;
                consentUrl?: string;
            }[];
            /** @default null */
            accessTokenLifetimeSeconds: number | null;
            /**
             * @default once
             * @enum {string}
             */
            refreshTokenUse: "once" | "many";
            /** @default 0 */
            refreshTokenReuseSeconds: number;
            /** @default {} */
            revocation: {
                /**
                 * @default refresh_token
                 * @enum {string}
                 */
                token: "refresh_token" | "access_token";
                /**
                 * @default token
                 * @enum {string}
                 */
                ends: "token" | "grant" | "workspace";
                /**
                 * @default POST
                 * @enum {string}
                 */
                method: "POST" | "GET" | "DELETE";
                /**
                 * @default client
                 * @enum {string}
                 */
                clientAuth: "client" | "basic" | "bearer" | "none";
                /** @default token */
                tokenParameter: string | null;
                /**
                 * @default body
                 * @enum {string}
                 */
                in: "body" | "query";
                /**
                 * @default form
                 * @enum {string}
                 */
                encoding: "form" | "json";
                /** @default {} */
                extraParams: {
                    [key: string]: string;
                };
                /** @default {} */
                headers: {
                    [key: string]: string;
                };
            };
            noRevocation?: string;
            jwt?: {
                /**
                 * @default RS256
                 * @enum {string}
                 */
                alg: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512";
                /** @default {} */
                header: {
                    [key: string]: string;
                };
                claims: {
                    [key: string]: unknown;
                };
                /** @default 300 */
                lifetimeSeconds: number;
                /** @default 0 */
                issuedSecondsAgo: number;
                /** @default {privateKey} */
                key: string;
                passphrase?: string;
            };
            login?: {
                steps: {
                    /**
                     * @default POST
                     * @enum {string}
                     */
                    method: "POST" | "GET" | "DELETE";
                    url: string;
                    /**
                     * @default form
                     * @enum {string}
                     */
                    encoding: "form" | "json" | "query";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    body: {
                        [key: string]: unknown;
                    };
                    awsSigV4?: {
                        service: string;
                        region: string;
                        /** @default {clientId} */
                        accessKeyId: string;
                        /** @default {clientSecret} */
                        secretAccessKey: string;
                    };
                }[];
                identity?: {
                    /**
                     * @default POST
                     * @enum {string}
                     */
                    method: "POST" | "GET" | "DELETE";
                    url: string;
                    /**
                     * @default form
                     * @enum {string}
                     */
                    encoding: "form" | "json" | "query";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    body: {
                        [key: string]: unknown;
                    };
                    awsSigV4?: {
                        service: string;
                        region: string;
                        /** @default {clientId} */
                        accessKeyId: string;
                        /** @default {clientSecret} */
                        secretAccessKey: string;
                    };
                    path: string;
                    title: string;
                    description?: string;
                };
                refresh?: {
                    /**
                     * @default POST
                     * @enum {string}
                     */
                    method: "POST" | "GET" | "DELETE";
                    url: string;
                    /**
                     * @default form
                     * @enum {string}
                     */
                    encoding: "form" | "json" | "query";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    body: {
                        [key: string]: unknown;
                    };
                };
                /**
                 * @default json
                 * @enum {string}
                 */
                answer: "json" | "text" | "xml";
                credential?: string;
                /**
                 * @default [
                 *       401,
                 *       403
                 *     ]
                 */
                refusedStatuses: number[];
                /** @default [] */
                goneStatuses: number[];
            };
            logout?: {
                /**
                 * @default POST
                 * @enum {string}
                 */
                method: "POST" | "GET" | "DELETE";
                url: string;
                /**
                 * @default form
                 * @enum {string}
                 */
                encoding: "form" | "json" | "query";
                /** @default {} */
                headers: {
                    [key: string]: string;
                };
                /** @default {} */
                body: {
                    [key: string]: unknown;
                };
            };
            installation?: {
                variable: string;
                list: {
                    url: string;
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    itemsPath: string;
                    id: string;
                    /** @default page */
                    pageParameter: string;
                };
                pending?: {
                    parameter: string;
                    value: string;
                };
            };
            account?: {
                id: {
                    /**
                     * @default token-response
                     * @enum {string}
                     */
                    from: "token-response" | "id-token" | "callback" | "request" | "variable";
                    path: string | string[];
                    /**
                     * @default all
                     * @enum {string}
                     */
                    take: "all" | "first";
                    pattern?: string;
                };
                name?: {
                    /**
                     * @default token-response
                     * @enum {string}
                     */
                    from: "token-response" | "id-token" | "callback" | "request" | "variable";
                    path: string | string[];
                    /**
                     * @default all
                     * @enum {string}
                     */
                    take: "all" | "first";
                    pattern?: string;
                };
                request?: {
                    url: string;
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
            };
            tenants?: {
                /**
                 * @default account
                 * @enum {string}
                 */
                kind: "account" | "organization" | "company" | "site" | "workspace" | "business" | "location" | "project" | "page";
                request: {
                    url: string;
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                /**
                 * @default {
                 *       "by": "none"
                 *     }
                 */
                paging: {
                    /** @constant */
                    by: "none";
                } | {
                    /** @constant */
                    by: "link";
                    path: string;
                } | {
                    /** @constant */
                    by: "link-header";
                } | {
                    /** @constant */
                    by: "token";
                    path: string;
                    parameter: string;
                } | {
                    /** @constant */
                    by: "page";
                    parameter: string;
                    /** @default 1 */
                    first: number;
                } | {
                    /** @constant */
                    by: "offset";
                    parameter: string;
                };
                items?: string;
                id: string | string[];
                name?: string | string[];
                detail?: string | string[];
                /** @default [] */
                where: {
                    path: string;
                    is?: string[];
                    not?: string[];
                    matches?: string;
                }[];
                /** @default true */
                asked: boolean;
            };
            basic?: {
                /** @default {username} */
                username: string;
                /** @default {password} */
                password: string;
            };
            /**
             * @default {
             *       "name": "Authorization",
             *       "template": "Bearer {accessToken}"
             *     }
             */
            accessTokenHeader: {
                name: string;
                template: string;
            };
            /** @default {} */
            apiHeaders: {
                [key: string]: string;
            };
            /** @default {} */
            apiQuery: {
                [key: string]: string;
            };
            accessTokenProof?: {
                parameter: string;
                unless?: string;
            };
            /** @default [] */
            callerCredentials: ({
                /** @constant */
                in: "scheme";
                scheme: string;
            } | {
                /** @constant */
                in: "header";
                name: string;
                /** @constant */
                carriesCredential?: true;
            } | {
                /** @constant */
                in: "basic";
                /** @enum {string} */
                part: "username" | "password";
            } | {
                /** @constant */
                in: "signature";
                scheme: string;
                parameter: string;
            })[];
            timeouts?: {
                firstByteSeconds?: number;
                idleSeconds?: number;
            };
            callRefused?: {
                status: number | number[];
                path: string;
                values: string[];
            };
            paging?: {
                links?: string[];
                /** @enum {string} */
                style?: "link" | "cursor" | "offset" | "page" | "none";
                next?: string;
                parameter?: string;
                limitParameter?: string;
                items?: string;
            };
            retry?: {
                /** @default [] */
                statuses: number[];
                /** @default [] */
                after: string[];
                /** @default [] */
                at: string[];
            };
            rateLimit?: {
                /**
                 * @default connection
                 * @enum {string}
                 */
                of: "connection" | "integration";
                /**
                 * @default [
                 *       429
                 *     ]
                 */
                statuses: number[];
                limit?: string;
                remaining?: string;
                reset?: string;
                /**
                 * @default seconds
                 * @enum {string}
                 */
                resetUnit: "seconds" | "ms" | "epoch-seconds" | "epoch-ms" | "iso" | "duration" | "window-ms";
                combined?: string;
            };
            /** @default [] */
            responseHeaders: string[];
            reads?: string[];
            writes?: string[];
            batch?: string[];
            graphql?: string[];
            overrides?: string[];
            /** @constant */
            methodsTell?: true;
            records?: {
                paths: string[];
                /**
                 * @default [
                 *       "PUT",
                 *       "PATCH",
                 *       "DELETE"
                 *     ]
                 */
                methods: ("PUT" | "PATCH" | "POST" | "DELETE")[];
                select?: {
                    parameter: string;
                    member: string;
                };
                answer?: string;
            }[];
            /** @default {} */
            hosts: {
                [key: string]: {
                    url: string;
                    serves: string;
                };
            };
            mcp?: {
                url: string;
                /**
                 * @default automatic
                 * @enum {string}
                 */
                registration: "automatic" | "operator";
                registrationUrl?: string;
            };
            probe?: {
                url?: string;
                /** @enum {string} */
                method?: "GET" | "POST";
                headers?: {
                    [key: string]: string;
                };
                body?: {
                    [key: string]: unknown;
                };
                refused?: number[];
                accepted?: number[];
                refusedWhen?: {
                    path: string;
                    values?: string[];
                };
                acceptedWhen?: {
                    path: string;
                    values?: string[];
                };
                answerHas?: string;
            };
            noProbe?: string;
            /** @default {} */
            polls: {
                [key: string]: {
                    title?: string;
                    object: string;
                    /** Format: uri */
                    docsUrl?: string;
                    /** @default [] */
                    scopes: string[];
                    /** @default [] */
                    notes: string[];
                    clientToken?: {
                        /** @default [] */
                        scopes: string[];
                    };
                    /** @default 100 */
                    pageSize: number;
                    /** @default [] */
                    fields: string[];
                    /** @default {} */
                    parameters: {
                        [key: string]: {
                            description: string;
                            default?: string;
                            example?: string;
                        };
                    };
                    record: {
                        id: string | string[];
                        updatedAt?: {
                            path: string | string[];
                            /**
                             * @default iso
                             * @enum {string}
                             */
                            format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        };
                        createdAt?: {
                            path: string | string[];
                            /**
                             * @default iso
                             * @enum {string}
                             */
                            format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        };
                        deleted?: {
                            path: string;
                            values?: string[];
                        };
                        /** @default [] */
                        ignore: string[];
                    };
                    success?: {
                        path: string;
                        /** @default true */
                        value: string;
                    };
                    changes?: {
                        /** @constant */
                        by: "timestamp";
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /**
                         * @default {
                         *       "by": "none"
                         *     }
                         */
                        paging: {
                            /** @constant */
                            by: "none";
                        } | {
                            /** @constant */
                            by: "token";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link-header";
                            /** @default true */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "offset";
                            more?: string;
                            next?: string;
                        } | {
                            /** @constant */
                            by: "page";
                            /** @default 1 */
                            first: number;
                            more?: string;
                        };
                        items?: string;
                        /**
                         * @default iso
                         * @enum {string}
                         */
                        format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        /** @default 1 */
                        unitMs: number;
                        /**
                         * @default unordered
                         * @enum {string}
                         */
                        order: "ascending" | "descending" | "unordered";
                        /** @default false */
                        isExclusive: boolean;
                        /** @default 60 */
                        overlapSeconds: number;
                        tie?: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /** @default  */
                        firstId: string;
                        keptDays?: number;
                    } | {
                        /** @constant */
                        by: "token";
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /**
                         * @default {
                         *       "by": "none"
                         *     }
                         */
                        paging: {
                            /** @constant */
                            by: "none";
                        } | {
                            /** @constant */
                            by: "token";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link-header";
                            /** @default true */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "offset";
                            more?: string;
                            next?: string;
                        } | {
                            /** @constant */
                            by: "page";
                            /** @default 1 */
                            first: number;
                            more?: string;
                        };
                        items?: string;
                        token: string;
                        /** @default false */
                        isLink: boolean;
                        start?: {
                            request: {
                                /**
                                 * @default GET
                                 * @enum {string}
                                 */
                                method: "GET" | "POST";
                                path: string;
                                /** @default {} */
                                query: {
                                    [key: string]: string;
                                };
                                /** @default {} */
                                headers: {
                                    [key: string]: string;
                                };
                                body?: {
                                    [key: string]: unknown;
                                };
                            };
                            token: string;
                        };
                        /** @default {} */
                        expired: {
                            /**
                             * @default [
                             *       410
                             *     ]
                             */
                            statuses: number[];
                            error?: {
                                path: string;
                                values: string[];
                            };
                        };
                    } | {
                        /** @constant */
                        by: "log";
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        earliest: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        latest: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        items?: string;
                        token: string;
                        /**
                         * @default [
                         *       204
                         *     ]
                         */
                        nothing: number[];
                        /** @default {} */
                        expired: {
                            /**
                             * @default [
                             *       404
                             *     ]
                             */
                            statuses: number[];
                            error?: {
                                path: string;
                                values: string[];
                            };
                        };
                        file?: string;
                        change: {
                            path: string;
                            /** @default [] */
                            created: string[];
                            /** @default [] */
                            updated: string[];
                            /** @default [] */
                            deleted: string[];
                        };
                        objects?: {
                            path: string;
                            names: {
                                [key: string]: string;
                            };
                        };
                        account?: string;
                        subscriptions?: {
                            each: string;
                            list: {
                                request: {
                                    /**
                                     * @default GET
                                     * @enum {string}
                                     */
                                    method: "GET" | "POST";
                                    path: string;
                                    /** @default {} */
                                    query: {
                                        [key: string]: string;
                                    };
                                    /** @default {} */
                                    headers: {
                                        [key: string]: string;
                                    };
                                    body?: {
                                        [key: string]: unknown;
                                    };
                                };
                                items?: string;
                            };
                            match: {
                                [key: string]: string;
                            };
                            create: {
                                /**
                                 * @default GET
                                 * @enum {string}
                                 */
                                method: "GET" | "POST";
                                path: string;
                                /** @default {} */
                                query: {
                                    [key: string]: string;
                                };
                                /** @default {} */
                                headers: {
                                    [key: string]: string;
                                };
                                body?: {
                                    [key: string]: unknown;
                                };
                            };
                        };
                    };
                    list?: {
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /**
                         * @default {
                         *       "by": "none"
                         *     }
                         */
                        paging: {
                            /** @constant */
                            by: "none";
                        } | {
                            /** @constant */
                            by: "token";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link-header";
                            /** @default true */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "offset";
                            more?: string;
                            next?: string;
                        } | {
                            /** @constant */
                            by: "page";
                            /** @default 1 */
                            first: number;
                            more?: string;
                        };
                        items?: string;
                    };
                    deleted?: {
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        /**
                         * @default {
                         *       "by": "none"
                         *     }
                         */
                        paging: {
                            /** @constant */
                            by: "none";
                        } | {
                            /** @constant */
                            by: "token";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link";
                            path: string;
                            /** @default false */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "link-header";
                            /** @default true */
                            shifts: boolean;
                        } | {
                            /** @constant */
                            by: "offset";
                            more?: string;
                            next?: string;
                        } | {
                            /** @constant */
                            by: "page";
                            /** @default 1 */
                            first: number;
                            more?: string;
                        };
                        items?: string;
                        id: string | string[];
                        deletedAt?: {
                            path: string | string[];
                            /**
                             * @default iso
                             * @enum {string}
                             */
                            format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        };
                        /**
                         * @default iso
                         * @enum {string}
                         */
                        format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        /** @default 60 */
                        overlapSeconds: number;
                        /** @default 0 */
                        spanSecondsMin: number;
                        keptDays?: number;
                        covered?: {
                            path: string | string[];
                            /**
                             * @default iso
                             * @enum {string}
                             */
                            format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                        };
                    };
                };
            };
            awsSigV4?: {
                /** @default {accessKeyId} */
                accessKeyId: string;
                /** @default {secretAccessKey} */
                secretAccessKey: string;
                /** @default {sessionToken} */
                sessionToken: string;
                service: string;
                region: string;
                /** @default {} */
                serviceNames: {
                    [key: string]: string;
                };
                /** @default {} */
                hosts: {
                    [key: string]: {
                        service?: string;
                        region?: string;
                    };
                };
                /** @default 1048576 */
                bodyBytesMax: number;
                /** @default false */
                unsignedPayload: boolean;
            };
            oauth1?: {
                /**
                 * @default HMAC-SHA1
                 * @enum {string}
                 */
                signatureMethod: "HMAC-SHA1" | "HMAC-SHA256" | "PLAINTEXT";
                /** @default {clientId} */
                consumerKey: string;
                /** @default {clientSecret} */
                consumerSecret: string;
                /** @default {accessToken} */
                token: string;
                /** @default {accessTokenSecret} */
                tokenSecret: string;
                realm?: {
                    value: string;
                    /** @default false */
                    upperCase: boolean;
                    /** @default {} */
                    replace: {
                        [key: string]: string;
                    };
                };
                requestTokenUrl?: string;
                /** @default 1048576 */
                bodyBytesMax: number;
            };
            jwtPerCall?: {
                /** @enum {string} */
                alg: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "HS256" | "HS384" | "HS512";
                /** @default {privateKey} */
                key: string;
                passphrase?: string;
                /**
                 * @default utf8
                 * @enum {string}
                 */
                keyEncoding: "utf8" | "base64" | "base64url" | "hex";
                /** @default {} */
                header: {
                    [key: string]: string;
                };
                claims: {
                    [key: string]: unknown;
                };
                /** @default 300 */
                lifetimeSeconds: number;
                /** @default 0 */
                issuedSecondsAgo: number;
                /** @default {} */
                parts: {
                    [key: string]: {
                        of: string;
                        separator: string;
                        index: number;
                    };
                };
                /** @default 1048576 */
                bodyBytesMax: number;
            };
            wsse?: {
                /** @default {username} */
                username: string;
                /** @default {secret} */
                secret: string;
                /**
                 * @default bytes
                 * @enum {string}
                 */
                digest: "bytes" | "hex";
            };
            clientCertificate?: {
                /**
                 * @default [
                 *       "token",
                 *       "api"
                 *     ]
                 */
                at: ("token" | "api")[];
                certificate: string;
                privateKey: string;
                passphrase?: string;
            };
            /** @default [] */
            setupSteps: string[];
            /** @default {} */
            scopeDescriptions: {
                [key: string]: string;
            };
            credentialHint?: string;
            /**
             * @default {
             *       "supported": false
             *     }
             */
            webhooks: {
                supported: boolean;
                /** Format: uri */
                docsUrl?: string;
                notes?: string[];
                /** @enum {string} */
                scope?: "application" | "connection" | "both";
                registration?: ({
                    /** @constant */
                    by: "portal";
                    /** @default [] */
                    steps: string[];
                } | {
                    /** @constant */
                    by: "api";
                    /**
                     * @default connection
                     * @enum {string}
                     */
                    authorization: "connection" | "client" | "application" | "none";
                    request: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                    };
                    /** @constant */
                    perEvent?: true;
                    /** @default {} */
                    parameters: {
                        [key: string]: {
                            title: string;
                            description?: string;
                        };
                    };
                    /** @default [] */
                    events: string[];
                    /** @default {} */
                    answer: {
                        id?: string;
                        resourceId?: string;
                        secret?: string;
                        expiresAt?: string;
                    };
                    secretRequest?: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                        secret: string;
                    };
                    confirm?: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                    };
                    expiresSeconds?: number;
                    renew?: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                    } | "again";
                    remove?: {
                        /**
                         * @default POST
                         * @enum {string}
                         */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        url: string;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        /**
                         * @default json
                         * @enum {string}
                         */
                        encoding: "json" | "form";
                        body?: {
                            [key: string]: unknown;
                        };
                    };
                })[];
                clientToken?: {
                    /** @default [] */
                    scopes: string[];
                };
                signature?: {
                    /** @constant */
                    scheme: "hmac";
                    /**
                     * @default sha256
                     * @enum {string}
                     */
                    hash: "sha1" | "sha256" | "sha512" | "md5";
                    at: string;
                    alsoAt?: string[];
                    prefix?: string;
                    listSeparator?: string;
                    afterKeyName?: string;
                    signed: string[];
                    /**
                     * @default hex
                     * @enum {string}
                     */
                    encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                    timestamp?: {
                        at: string;
                        /**
                         * @default seconds
                         * @enum {string}
                         */
                        unit: "seconds" | "milliseconds" | "iso";
                        /** @default 300 */
                        toleranceSeconds: number;
                    };
                    /**
                     * @default text
                     * @enum {string}
                     */
                    keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                    /** @enum {string} */
                    keyDigest?: "sha1" | "sha256";
                    /** @constant */
                    keyAfterColon?: true;
                    /** @constant */
                    perItem?: true;
                    urlDecoded?: string[];
                } | {
                    /** @constant */
                    scheme: "digest";
                    /**
                     * @default sha256
                     * @enum {string}
                     */
                    hash: "sha1" | "sha256" | "sha512" | "md5";
                    at: string;
                    alsoAt?: string[];
                    prefix?: string;
                    listSeparator?: string;
                    afterKeyName?: string;
                    signed: string[];
                    /**
                     * @default hex
                     * @enum {string}
                     */
                    encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                    timestamp?: {
                        at: string;
                        /**
                         * @default seconds
                         * @enum {string}
                         */
                        unit: "seconds" | "milliseconds" | "iso";
                        /** @default 300 */
                        toleranceSeconds: number;
                    };
                    urlDecoded?: string[];
                } | {
                    /** @constant */
                    scheme: "public-key";
                    /** @enum {string} */
                    algorithm: "ed25519" | "ecdsa-sha256" | "ecdsa-sha1" | "rsa-sha256";
                    at: string;
                    alsoAt?: string[];
                    prefix?: string;
                    listSeparator?: string;
                    afterKeyName?: string;
                    signed: string[];
                    /**
                     * @default hex
                     * @enum {string}
                     */
                    encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                    timestamp?: {
                        at: string;
                        /**
                         * @default seconds
                         * @enum {string}
                         */
                        unit: "seconds" | "milliseconds" | "iso";
                        /** @default 300 */
                        toleranceSeconds: number;
                    };
                    signaturePath?: string;
                    key?: {
                        url?: string;
                        body?: {
                            [key: string]: string;
                        };
                        idAt?: string;
                        idInSignature?: string;
                        hosts?: string[];
                        path?: string;
                        certificateName?: string;
                        keyPath?: string;
                        expiredPath?: string;
                        /** @enum {string} */
                        authorization?: "application" | "connection";
                    };
                } | {
                    /** @constant */
                    scheme: "jwt";
                    at: string | "body";
                    prefix?: string[];
                    /** @enum {string} */
                    algorithm: "HS256" | "RS256" | "ES256";
                    /**
                     * @default text
                     * @enum {string}
                     */
                    keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                    key?: {
                        url?: string;
                        body?: {
                            [key: string]: string;
                        };
                        idAt?: string;
                        idInSignature?: string;
                        hosts?: string[];
                        path?: string;
                        certificateName?: string;
                        keyPath?: string;
                        expiredPath?: string;
                        /** @enum {string} */
                        authorization?: "application" | "connection";
                    };
                    issuer?: string;
                    audience?: string;
                    /** @default {} */
                    claims: {
                        [key: string]: string | boolean;
                    };
                    bodyHash?: {
                        claim: string;
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "base64";
                    };
                    maxAgeSeconds?: number;
                } | {
                    /** @constant */
                    scheme: "token";
                    at: string;
                    prefix?: string;
                } | {
                    /** @constant */
                    scheme: "basic";
                } | {
                    /** @constant */
                    scheme: "none";
                };
                alternatives?: {
                    [key: string]: {
                        /** @constant */
                        scheme: "hmac";
                        /**
                         * @default sha256
                         * @enum {string}
                         */
                        hash: "sha1" | "sha256" | "sha512" | "md5";
                        at: string;
                        alsoAt?: string[];
                        prefix?: string;
                        listSeparator?: string;
                        afterKeyName?: string;
                        signed: string[];
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                        timestamp?: {
                            at: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            unit: "seconds" | "milliseconds" | "iso";
                            /** @default 300 */
                            toleranceSeconds: number;
                        };
                        /**
                         * @default text
                         * @enum {string}
                         */
                        keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                        /** @enum {string} */
                        keyDigest?: "sha1" | "sha256";
                        /** @constant */
                        keyAfterColon?: true;
                        /** @constant */
                        perItem?: true;
                        urlDecoded?: string[];
                    } | {
                        /** @constant */
                        scheme: "digest";
                        /**
                         * @default sha256
                         * @enum {string}
                         */
                        hash: "sha1" | "sha256" | "sha512" | "md5";
                        at: string;
                        alsoAt?: string[];
                        prefix?: string;
                        listSeparator?: string;
                        afterKeyName?: string;
                        signed: string[];
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                        timestamp?: {
                            at: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            unit: "seconds" | "milliseconds" | "iso";
                            /** @default 300 */
                            toleranceSeconds: number;
                        };
                        urlDecoded?: string[];
                    } | {
                        /** @constant */
                        scheme: "public-key";
                        /** @enum {string} */
                        algorithm: "ed25519" | "ecdsa-sha256" | "ecdsa-sha1" | "rsa-sha256";
                        at: string;
                        alsoAt?: string[];
                        prefix?: string;
                        listSeparator?: string;
                        afterKeyName?: string;
                        signed: string[];
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                        timestamp?: {
                            at: string;
                            /**
                             * @default seconds
                             * @enum {string}
                             */
                            unit: "seconds" | "milliseconds" | "iso";
                            /** @default 300 */
                            toleranceSeconds: number;
                        };
                        signaturePath?: string;
                        key?: {
                            url?: string;
                            body?: {
                                [key: string]: string;
                            };
                            idAt?: string;
                            idInSignature?: string;
                            hosts?: string[];
                            path?: string;
                            certificateName?: string;
                            keyPath?: string;
                            expiredPath?: string;
                            /** @enum {string} */
                            authorization?: "application" | "connection";
                        };
                    } | {
                        /** @constant */
                        scheme: "jwt";
                        at: string | "body";
                        prefix?: string[];
                        /** @enum {string} */
                        algorithm: "HS256" | "RS256" | "ES256";
                        /**
                         * @default text
                         * @enum {string}
                         */
                        keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                        key?: {
                            url?: string;
                            body?: {
                                [key: string]: string;
                            };
                            idAt?: string;
                            idInSignature?: string;
                            hosts?: string[];
                            path?: string;
                            certificateName?: string;
                            keyPath?: string;
                            expiredPath?: string;
                            /** @enum {string} */
                            authorization?: "application" | "connection";
                        };
                        issuer?: string;
                        audience?: string;
                        /** @default {} */
                        claims: {
                            [key: string]: string | boolean;
                        };
                        bodyHash?: {
                            claim: string;
                            /**
                             * @default hex
                             * @enum {string}
                             */
                            encoding: "hex" | "base64";
                        };
                        maxAgeSeconds?: number;
                    } | {
                        /** @constant */
                        scheme: "token";
                        at: string;
                        prefix?: string;
                    } | {
                        /** @constant */
                        scheme: "basic";
                    } | {
                        /** @constant */
                        scheme: "none";
                    };
                };
                secret?: {
                    /** @enum {string} */
                    from: "client" | "operator" | "gateway" | "registration" | "handshake" | "credential" | "none";
                    template?: string;
                    title?: string;
                    hint?: string;
                };
                /** @enum {string} */
                verifyToken?: "operator" | "gateway";
                handshake?: {
                    /**
                     * @default [
                     *       "POST"
                     *     ]
                     */
                    methods: ("GET" | "HEAD" | "POST")[];
                    /** @default [] */
                    when: string[];
                    /** @constant */
                    signed?: true;
                    verifyToken?: string;
                    keepSecret?: string;
                    registration?: string;
                    computed?: {
                        /** @enum {string} */
                        scheme: "hmac" | "digest";
                        /**
                         * @default sha256
                         * @enum {string}
                         */
                        hash: "sha1" | "sha256" | "sha512" | "md5";
                        signed: string[];
                        /**
                         * @default hex
                         * @enum {string}
                         */
                        encoding: "hex" | "upper-hex" | "base64" | "base64-of-hex";
                        prefix?: string;
                        /**
                         * @default token
                         * @enum {string}
                         */
                        challenge: "token" | "hex";
                        /**
                         * @default text
                         * @enum {string}
                         */
                        keyEncoding: "text" | "hex" | "base64" | "standard-webhooks";
                        /** @enum {string} */
                        keyDigest?: "sha1" | "sha256";
                        /** @constant */
                        keyAfterColon?: true;
                    };
                    refusal?: number;
                    /** @default {} */
                    answer: {
                        /** @default 200 */
                        status: number;
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        text?: string;
                        json?: {
                            [key: string]: string | number;
                        };
                    };
                }[];
                acknowledge?: {
                    /** @default 200 */
                    status: number;
                    /** @default  */
                    body: string;
                    contentType?: string;
                    echoHeaders?: string[];
                    withinSeconds?: number;
                };
                retryHours?: number;
                payload?: {
                    /**
                     * @default json
                     * @enum {string}
                     */
                    format: "json" | "form" | "form-json" | "multipart-json" | "xml" | "jwt" | "empty";
                    field?: string;
                    decode?: string;
                    items?: string | string[];
                    headerPrefix?: string;
                    xmlElements?: string[];
                    /**
                     * @default item
                     * @enum {string}
                     */
                    data: "item" | "root";
                    eventType?: string | string[];
                    eventId?: string | string[];
                    objectId?: string | string[];
                    objectType?: string | string[];
                    account?: string | string[];
                    occurredAt?: string | string[];
                    /**
                     * @default iso
                     * @enum {string}
                     */
                    occurredAtUnit: "seconds" | "milliseconds" | "iso";
                    dedupe?: string | string[];
                };
                events?: {
                    /** @default {} */
                    names: {
                        [key: string]: {
                            object: string;
                            /** @enum {string} */
                            change: "created" | "updated" | "deleted" | "other";
                        };
                    };
                    /** @default . */
                    separator: string;
                    /**
                     * @default last
                     * @enum {string}
                     */
                    changeAt: "first" | "last";
                    /** @default {} */
                    changes: {
                        [key: string]: "created" | "updated" | "deleted" | "other";
                    };
                    /** @default {} */
                    objects: {
                        [key: string]: string;
                    };
                    object?: string;
                };
            };
            /** @default [] */
            grants: ({
                id: string;
                title: string;
                purpose?: string;
                /** @enum {string} */
                auth: "oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse";
            } & {
                [key: string]: unknown;
            })[];
        };
        ProviderFiles: {
            /** @description The provider file. */
            provider: {
                /** @description Where it belongs in the repository. */
                path: string;
                content: string;
            };
            /** @description A test that the file leads to the requests of the dry run. */
            test: {
                /** @description Where it belongs in the repository. */
                path: string;
                content: string;
            };
            /** @description How far the sources confirm it. */
            evidence: string;
            /** @description What the test cannot hold, and why. */
            notes: string[];
        };
        IntegrationList: {
            integrations: components["schemas"]["ListedIntegration"][];
            nextCursor: string | null;
        };
        ListedIntegration: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            serviceProvider: string;
            /** @description What end users read instead of the provider’s name; null: that. */
            name: string | null;
            /** @description Address of the logo that an operator gave it; null: the provider’s own, which the catalog names. */
            logoUrl: string | null;
            /** @enum {string} */
            state: "active" | "disabled";
            /** @description Why and since when it is switched off; null: it is not. */
            disabled: {
                reason: string;
                /** Format: date-time */
                at: string;
            } | null;
            /** @description The provider’s way to authenticate that it uses; null: the usual one. */
            authMethod: string | null;
            /**
             * @deprecated
             * @description The earlier name of `authMethod`.
             */
            grant: string | null;
            scopes: string[];
            optionalScopes: string[];
            clientId: string | null;
            /** @description Of an MCP server: what it named when a user last began to authorize. Null before, and for all others. */
            authorizationServer: components["schemas"]["AuthorizationServer"] | null;
            variables: {
                [key: string]: string;
            };
            settings: {
                authorizationParams?: {
                    [key: string]: string;
                };
                /** @description Addresses of documents (OpenAPI 3, Swagger 2, Google discovery) that describe the API, beside those of the catalog; agents search their operations */
                openapi?: string[];
                /** @description How the provider signs webhooks, where it has several ways: one of the names of its `webhooks.alternatives`. Requests signed in the usual way are then refused. Left out, the usual way alone counts. A `webhookSecret` counts first. */
                webhookScheme?: string;
                /** @description Tools of an MCP server that do nothing but read, as the operator judges: mandates that allow reading alone let them be called. Left out: none. */
                readingTools?: string[];
            };
            /** @description The redirect URL to register at the provider; null where none is used. */
            redirectUrl: string | null;
            /** @description Where the gateway receives the webhooks of the provider, if it has one address for all accounts. Providers that register an address for each account get theirs by `POST /v1/integrations/{id}/subscriptions`. */
            webhookUrl: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            createdBy: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: uuid */
            updatedBy: string;
            /** @description With `include=numbers`. */
            numbers?: components["schemas"]["IntegrationNumbers"];
        };
        AuthorizationServer: {
            issuer: string;
            /** @description What tokens are asked for (RFC 8707). */
            resource: string;
            /** @description Asked for where the integration has no scopes of its own. */
            scopes: string[];
            /** Format: date-time */
            discoveredAt: string;
            /** @description Where the client comes from: `document` (the client id is the address of a metadata document of this gateway), `registration` (the server registered it for the gateway), or `operator`. */
            clientBy: ("operator" | "document" | "registration") | null;
            registeredAt: string | null;
            expiresAt: string | null;
        };
        IntegrationNumbers: {
            /** @description Up to 10,000, which stands for that many or more. */
            connections: number;
            /** @description The same. */
            reauthorizationRequired: number;
            /** @description Proxied calls of the last 24 hours, by whole hours. */
            callsDay: number;
            /** @description Of these, answered with an error by gateway or provider. */
            errorsDay: number;
            lastCallAt: string | null;
        };
        Integration: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            serviceProvider: string;
            /** @description What end users read instead of the provider’s name; null: that. */
            name: string | null;
            /** @description Address of the logo that an operator gave it; null: the provider’s own, which the catalog names. */
            logoUrl: string | null;
            /** @enum {string} */
            state: "active" | "disabled";
            /** @description Why and since when it is switched off; null: it is not. */
            disabled: {
                reason: string;
                /** Format: date-time */
                at: string;
            } | null;
            /** @description The provider’s way to authenticate that it uses; null: the usual one. */
            authMethod: string | null;
            /**
             * @deprecated
             * @description The earlier name of `authMethod`.
             */
            grant: string | null;
            scopes: string[];
            optionalScopes: string[];
            clientId: string | null;
            /** @description Of an MCP server: what it named when a user last began to authorize. Null before, and for all others. */
            authorizationServer: components["schemas"]["AuthorizationServer"] | null;
            variables: {
                [key: string]: string;
            };
            settings: {
                authorizationParams?: {
                    [key: string]: string;
                };
                /** @description Addresses of documents (OpenAPI 3, Swagger 2, Google discovery) that describe the API, beside those of the catalog; agents search their operations */
                openapi?: string[];
                /** @description How the provider signs webhooks, where it has several ways: one of the names of its `webhooks.alternatives`. Requests signed in the usual way are then refused. Left out, the usual way alone counts. A `webhookSecret` counts first. */
                webhookScheme?: string;
                /** @description Tools of an MCP server that do nothing but read, as the operator judges: mandates that allow reading alone let them be called. Left out: none. */
                readingTools?: string[];
            };
            /** @description The redirect URL to register at the provider; null where none is used. */
            redirectUrl: string | null;
            /** @description Where the gateway receives the webhooks of the provider, if it has one address for all accounts. Providers that register an address for each account get theirs by `POST /v1/integrations/{id}/subscriptions`. */
            webhookUrl: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            createdBy: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: uuid */
            updatedBy: string;
        };
        OrganizationClientList: {
            clients: components["schemas"]["OrganizationClient"][];
            nextCursor: string | null;
        };
        OrganizationClient: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            integrationId: string;
            organizationId: string;
            clientId: string;
            hasSecret: boolean;
            variables: {
                [key: string]: string;
            };
            scopes: string[] | null;
            /** @description When the provider last accepted it. */
            lastWorkedAt: string | null;
            /** @description When the provider last refused it. */
            lastRefusedAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        IntegrationSecretList: {
            secrets: components["schemas"]["IntegrationSecret"][];
        };
        IntegrationSecret: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "client" | "webhook";
            /** @enum {string} */
            age: "newer" | "older";
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            createdBy: string;
            /** @description When the provider last accepted it, to the hour */
            lastWorkedAt: string | null;
            /** @description When the provider last refused it, to the hour */
            lastRefusedAt: string | null;
            /** @description As the operator noted it in `secretExpiresAt` */
            expiresAt: string | null;
            /** @description Until when an older secret is still tried; null for a newer one */
            triedUntil: string | null;
        };
        ExportedConfiguration: {
            stateHash: string;
            /** @description The file, as its schema has it: `GET /v1/configuration/schema`. */
            configuration: {
                [key: string]: unknown;
            };
            /** @description The same as text. */
            yaml: string;
        };
        ConfigurationPlan: {
            /** @description Of everything that files configure in the project, as it is now. */
            stateHash: string;
            changes: components["schemas"]["ConfigurationChange"][];
            summary: {
                create: number;
                update: number;
                delete: number;
            };
            /** @description Made by hand until now, and managed by the file once it is applied. */
            adopted: {
                /** @enum {string} */
                type: "customProvider" | "mandate" | "project" | "integration" | "poll" | "destination" | "member";
                name: string;
            }[];
            /** @description Made by hand, and not in the file: they stay as they are. */
            unmanaged: {
                /** @enum {string} */
                type: "customProvider" | "mandate" | "project" | "integration" | "poll" | "destination" | "member";
                name: string;
            }[];
            /** @description References whose values were not compared: what is there stays. */
            unverifiedSecrets: string[];
        };
        ConfigurationChange: {
            /** @enum {string} */
            action: "create" | "update" | "delete";
            /** @enum {string} */
            type: "customProvider" | "mandate" | "project" | "integration" | "poll" | "destination" | "member";
            name: string;
            fields: components["schemas"]["ConfigurationField"][];
        };
        ConfigurationField: {
            path: string;
            from?: unknown;
            to?: unknown;
            /** @description It stands by reference: what it was and is, is not shown. */
            secret?: boolean;
            reference?: string;
        };
        AppliedConfiguration: {
            stateHash: string;
            applied: components["schemas"]["ConfigurationChange"][];
            summary: {
                create: number;
                update: number;
                delete: number;
            };
        };
        ConfigurationDrift: {
            stateHash: string;
            drifted: boolean;
            objects: {
                /** @enum {string} */
                type: "customProvider" | "mandate" | "project" | "integration" | "poll" | "destination" | "member";
                name: string;
                /** @description Of the object in the API; of a member the address. */
                objectId: string;
                /** @enum {string} */
                state: "in_sync" | "drifted" | "missing";
                /** @description From what the file says to what there is. */
                fields: components["schemas"]["ConfigurationField"][];
            }[];
            unmanaged: {
                /** @enum {string} */
                type: "customProvider" | "mandate" | "project" | "integration" | "poll" | "destination" | "member";
                name: string;
            }[];
            lastApplied: {
                /** Format: date-time */
                at: string;
                /** Format: uuid */
                by: string;
            } | null;
        };
        ConnectionList: {
            connections: components["schemas"]["Connection"][];
            nextCursor: string | null;
        };
        Connection: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /**
             * Format: uuid
             * @description The gateway’s id of the owner
             */
            integrationUserId: string;
            serviceProvider: string;
            /** @description Your own id of its user; of an organization’s connection, of the user who connected it, empty where that is not known */
            userId: string;
            owner: components["schemas"]["ConnectionOwner"];
            /** @enum {string} */
            status: "active" | "reauthorization_required";
            statusReason: string | null;
            grantedScopes: string[];
            accountId: string | null;
            accountName: string | null;
            /** @description The site, organization or account that calls go to, where one grant may reach several */
            tenantId: string | null;
            tenantName: string | null;
            authMetadata: components["schemas"]["AuthMetadata"];
            customMetadata: {
                [key: string]: components["schemas"]["__schema0"];
            };
            tags: {
                [key: string]: string;
            };
            lastUsedAt: string | null;
            /** @description When the gateway last refreshed the access token */
            refreshedAt: string | null;
            /** @description When the access token expires; the gateway refreshes it before */
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ConnectionOwner: {
            /** @enum {string} */
            type: "user" | "organization";
            /** @description Your own id: the `sub` or the `org` of tokens */
            id: string;
        };
        AuthMetadata: {
            NoAuthMetadata: Record<string, never>;
        } | {
            ProviderAccount: {
                accountId: string | null;
                accountName: string | null;
                apiBaseUrl: string | null;
            };
        };
        __schema0: unknown;
        TenantList: {
            tenants: components["schemas"]["Tenant"][];
            /** @description False where the grant reaches more than are read (5,000) */
            isComplete: boolean;
        };
        Tenant: {
            id: string;
            name: string | null;
            /** @description What distinguishes it from another one of the same name */
            detail: string | null;
            /** @description The connection is on it */
            isCurrent: boolean;
        };
        ConnectSession: {
            /** Format: uuid */
            id: string;
            url: string;
            /** Format: date-time */
            expiresAt: string;
        };
        Diagnosis: {
            /** @description When the provider was asked; null: not yet */
            checkedAt: string | null;
            /** @description The worst first */
            findings: components["schemas"]["Finding"][];
        };
        Finding: {
            /**
             * @description Stable; docs/diagnosis.md tells what each means
             * @enum {string}
             */
            code: "provider_missing" | "provider_ended" | "provider_partner_only" | "provider_sign_in_only" | "provider_limited" | "client_accepted" | "client_not_needed" | "client_unprovable" | "client_not_checked" | "client_secret_missing" | "client_secret_refused" | "organization_client_refused" | "client_key_refused" | "client_secret_older_used" | "client_secret_expired" | "client_secret_expires_soon" | "client_id_unknown" | "client_refused" | "client_swapped" | "region_wrong" | "tenant_wrong" | "redirect_url_refused" | "scopes_refused" | "scope_not_granted" | "scope_not_asked" | "app_unverified" | "app_needs_admin" | "authorization_refused" | "authorization_page_refused" | "token_endpoint_page" | "provider_down" | "provider_name_unresolved" | "provider_tls_broken" | "client_certificate_refused" | "client_certificate_unusable" | "client_certificate_expired" | "client_certificate_expires_soon" | "provider_timeout" | "provider_slow" | "provider_address_refused" | "clock_off" | "public_url_differs" | "origin_not_allowed" | "return_url_not_registered" | "tokens_refused" | "sign_ins_denied" | "sign_ins_not_returning" | "sign_ins_abandoned" | "sign_in_interrupted" | "sign_in_other_account" | "provider_setup_missing" | "credentials_refused" | "sign_ins_failing" | "connection_works" | "connection_unprovable" | "external_id_not_demanded" | "credential_not_accepted" | "calls_refused" | "refresh_refused" | "grant_revoked" | "refresh_failing" | "refresh_slow" | "calls_not_found" | "webhook_secret_wrong" | "webhook_client_secret_wrong" | "webhook_of_other_integration" | "webhook_url_differs" | "webhook_sender_unproven" | "webhook_never_came" | "polls_failing" | "poll_scope_missing" | "destinations_failing" | "project_frozen" | "gateway_restored" | "project_storage_full";
            /** @enum {string} */
            severity: "ok" | "info" | "warning" | "error";
            title: string;
            detail: string;
            /** @description What to do about it */
            remedy: string;
            /** @description What the placeholders of the texts stand for, for translations by code */
            parameters: {
                [key: string]: string;
            };
            evidence: {
                label: string;
                value: string;
                requestId?: string;
                /** Format: date-time */
                at?: string;
            }[];
        };
        ClientProbe: {
            /** Format: date-time */
            checkedAt: string;
            /** @description The worst first */
            findings: components["schemas"]["Finding"][];
        };
        ConnectAttempts: {
            /** Format: date-time */
            from: string;
            opened: number;
            sentToProvider: number;
            cameBack: number;
            completed: number;
            /** @description The last hundred, newest first */
            failures: {
                /** @enum {string} */
                code: "provider_missing" | "provider_ended" | "provider_partner_only" | "provider_sign_in_only" | "provider_limited" | "client_accepted" | "client_not_needed" | "client_unprovable" | "client_not_checked" | "client_secret_missing" | "client_secret_refused" | "organization_client_refused" | "client_key_refused" | "client_secret_older_used" | "client_secret_expired" | "client_secret_expires_soon" | "client_id_unknown" | "client_refused" | "client_swapped" | "region_wrong" | "tenant_wrong" | "redirect_url_refused" | "scopes_refused" | "scope_not_granted" | "scope_not_asked" | "app_unverified" | "app_needs_admin" | "authorization_refused" | "authorization_page_refused" | "token_endpoint_page" | "provider_down" | "provider_name_unresolved" | "provider_tls_broken" | "client_certificate_refused" | "client_certificate_unusable" | "client_certificate_expired" | "client_certificate_expires_soon" | "provider_timeout" | "provider_slow" | "provider_address_refused" | "clock_off" | "public_url_differs" | "origin_not_allowed" | "return_url_not_registered" | "tokens_refused" | "sign_ins_denied" | "sign_ins_not_returning" | "sign_ins_abandoned" | "sign_in_interrupted" | "sign_in_other_account" | "provider_setup_missing" | "credentials_refused" | "sign_ins_failing" | "connection_works" | "connection_unprovable" | "external_id_not_demanded" | "credential_not_accepted" | "calls_refused" | "refresh_refused" | "grant_revoked" | "refresh_failing" | "refresh_slow" | "calls_not_found" | "webhook_secret_wrong" | "webhook_client_secret_wrong" | "webhook_of_other_integration" | "webhook_url_differs" | "webhook_sender_unproven" | "webhook_never_came" | "polls_failing" | "poll_scope_missing" | "destinations_failing" | "project_frozen" | "gateway_restored" | "project_storage_full";
                title: string;
                remedy: string;
                requestId: string;
                /** Format: date-time */
                at: string;
                userId: string | null;
                /** Format: uuid */
                connectSessionId: string;
                /** @description The code that the application got */
                error: string;
                providerCode: string | null;
                providerWords: string | null;
            }[];
        };
        DeletionImpact: {
            connections: number;
            users: number;
            /** @description There are more connections and users than were counted */
            isAtLeast: boolean;
            /** @description Whether grants are revoked at the provider */
            revocations: boolean;
            polls: number;
            destinations: number;
        };
        IntegrationStates: {
            states: {
                /** Format: uuid */
                integrationId: string;
                /** @description When the provider was asked; null: not since the last change */
                checkedAt: string | null;
                /** @description The worst that its answer, polls, webhooks and secrets say, without what concerns the whole project; null: it was not asked, and nothing else is known */
                finding: components["schemas"]["Finding"] | null;
                /** @description Users who failed to connect in seven days, and since the last change, and are not connected */
                failedUsers: number;
            }[];
        };
        ProviderEvidence: {
            data: {
                provider: string;
                /** @description Names what the catalog said of the provider then. */
                fileVersion: string;
                /**
                 * @description What worked.
                 * @enum {string}
                 */
                fact: "authorization" | "refresh" | "probe" | "webhook" | "poll";
                count: number;
                /** Format: date-time */
                firstAt: string;
                /** Format: date-time */
                lastAt: string;
            }[];
        };
        ProjectOverview: {
            /** @description As in `integration-states` */
            states: {
                /** Format: uuid */
                integrationId: string;
                /** @description When the provider was asked; null: not since the last change */
                checkedAt: string | null;
                /** @description The worst that its answer, polls, webhooks and secrets say, without what concerns the whole project; null: it was not asked, and nothing else is known */
                finding: components["schemas"]["Finding"] | null;
                /** @description Users who failed to connect in seven days, and since the last change, and are not connected */
                failedUsers: number;
            }[];
            /** @description Client secrets whose noted end has come, or comes within 30 days */
            endingSecrets: {
                /** Format: uuid */
                integrationId: string;
                finding: components["schemas"]["Finding"];
            }[];
            /** @description Destinations of events that take nothing, but for those that an operator disabled */
            destinations: {
                /** Format: uuid */
                id: string;
                url: string;
                /** @enum {string} */
                state: "failing" | "disabled";
            }[];
            firstSteps: {
                /** @description Of the operator’s own newest test connection; null: there is none */
                testProvider: string | null;
                /** @description A provider has answered a call, the operators’ own included */
                called: boolean;
                /** @description A provider has answered a call for a user of the application */
                calledForUser: boolean;
            };
        };
        ConnectionHealth: {
            kind: ("oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse") | null;
            expiresAt: string | null;
            refreshedAt: string | null;
            /** @description About when the gateway refreshes next, if it is used */
            nextRefreshAt: string | null;
            /** @description Of the token endpoint to the last refresh */
            lastAnswer: {
                /** Format: date-time */
                at: string;
                /** @description Null: there was no answer */
                status: number | null;
                /** @description Null: new tokens came */
                error: string | null;
                /** @description The provider’s own words */
                description: string | null;
            } | null;
            scopes: {
                asked: string[];
                /** @description Null: the provider does not say */
                granted: string[] | null;
            };
            /** @description The worst first */
            findings: components["schemas"]["Finding"][];
        };
        ConnectionTest: {
            /** Format: date-time */
            checkedAt: string;
            ok: boolean;
            /** @description The worst first */
            findings: components["schemas"]["Finding"][];
        };
        Stats: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** @enum {string} */
            step: "minute" | "hour" | "day";
            series: {
                /** @description Provider, integration id, origin, `total`, the gateway’s id of a user, organization or mandate, or the value of a tag; `none` for calls refused before their integration was known. `other`, with a null label, is the last series where not every call has one: of an hour the first 200 users (or others) are counted apart, of a day the first 1,000, the rest together, with those that are erased. */
                key: string;
                /** @description Your own id of a user or an organization, the name of a mandate. */
                label: string | null;
                /** @description Steps without calls are left out. */
                points: {
                    /** Format: date-time */
                    at: string;
                    calls: number;
                    gatewayErrors: number;
                    providerErrors: number;
                    p50Ms: number | null;
                    p95Ms: number | null;
                    p99Ms: number | null;
                    gatewayP50Ms: number | null;
                    gatewayP99Ms: number | null;
                }[];
                totals: components["schemas"]["CallNumbers"];
            }[];
            /** @description Further series, with fewer calls. */
            seriesOmitted: number;
        };
        /** @description Percentiles of the whole time of a call and of the gateway’s share of it, in ms, off by 4.5 per cent at most; null where there are none. */
        CallNumbers: {
            calls: number;
            gatewayErrors: number;
            providerErrors: number;
            p50Ms: number | null;
            p95Ms: number | null;
            p99Ms: number | null;
            gatewayP50Ms: number | null;
            gatewayP99Ms: number | null;
        };
        CallList: {
            calls: components["schemas"]["Call"][];
            nextCursor: string | null;
        };
        Call: {
            /**
             * Format: uuid
             * @description As `Gateway-Request-Id` of the answer had it.
             */
            requestId: string;
            /** Format: date-time */
            at: string;
            method: string;
            /** @description Of the provider’s API, without the query; long segments and parameters are cut. */
            path: string;
            provider: string;
            integrationId: string | null;
            connectionId: string | null;
            /** @description The application’s id of the user; null where the token was refused. */
            userId: string | null;
            /** @description The application’s id of the organization that the token names. */
            organizationId: string | null;
            /** @description As sent to the caller; 0 where the caller left before. */
            status: number;
            /**
             * @description Whose error it was.
             * @enum {string}
             */
            origin: "none" | "gateway" | "provider";
            /** @description An error code of the gateway, `cut_off` or `caller_gone`. */
            code: string | null;
            remedy: string | null;
            /** @description Why the user token was refused; docs/user-tokens.md explains each. Null: it was not, or this call was not looked at. */
            tokenFault: ("not_a_jwt" | "header_refused" | "algorithm" | "unknown_kid" | "signature" | "audience" | "issuer" | "subject" | "subject_reserved" | "organization" | "no_expiry" | "lifetime" | "issued_in_future" | "not_yet_valid" | "expired" | "unrelated") | null;
            /** @description Requests to the provider; 0 where the call was refused. */
            attempts: number;
            durationMs: number;
            gatewayMs: number;
            /** @description While a request to the provider or its answer was under way. */
            providerMs: number;
            requestBytes: number;
            responseBytes: number;
            traceId: string | null;
            /** @description What the token might do; empty: it had no mandate. */
            mandates: {
                /** @description Of a mandate of the project its id; of entries in the token a digest of them. */
                id: string;
                /** @description Index of the entry that allowed the call; null where it was refused. */
                entry: number | null;
            }[];
            /** @description Who acted for the user, as the token says, the current actor first. */
            actors: {
                id: string;
                name: string | null;
            }[];
        };
        MandateSums: {
            mandates: components["schemas"]["MandateSum"][];
        };
        MandateSum: {
            mandateId: string;
            /** @description How many end users it was used for. */
            users: number;
            calls: number;
            /** @description Of these the calls that the mandate did not allow. */
            refused: number;
            /** Format: date-time */
            lastAt: string;
        };
        MandateUses: {
            uses: components["schemas"]["MandateUse"][];
            /** @description There are more. */
            isCut: boolean;
        };
        MandateUse: {
            userId: string | null;
            /** @description Who acted for the user, of a chain the current one; null: the user alone. */
            actor: {
                id: string;
                name: string | null;
            } | null;
            provider: string;
            calls: number;
            /** @description Of these the calls that the mandate did not allow. */
            refused: number;
            /** Format: date-time */
            lastAt: string;
        };
        EventList: {
            events: components["schemas"]["Event"][];
            /**
             * Format: uuid
             * @description Where to read on: `after` of the next request. It moves on past events that were filtered out.
             */
            nextAfter: string;
        };
        Event: {
            /** Format: uuid */
            id: string;
            /** @description `<provider>.<object>.<change>`, or a type of the gateway’s own. */
            type: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            projectId: string;
            integrationId: string | null;
            connectionId: string | null;
            integrationUserId: string | null;
            userId: string | null;
            /** @description Whose connection it is about, by your own id. */
            owner: {
                /** @enum {string} */
                type: "user" | "organization";
                id: string;
            } | null;
            /** @enum {string} */
            source: "webhook" | "poll" | "gateway";
            /** @description What changed at the provider, where the payload tells it. */
            object?: {
                type: string;
                id: string;
                /** @enum {string} */
                change: "created" | "updated" | "deleted" | "other";
            };
            /** @description The provider’s own payload, unchanged. */
            data: unknown;
        };
        LatestEventList: {
            events: components["schemas"]["Event"][];
            nextCursor: string | null;
        };
        SeenEventTypeList: {
            types: {
                type: string;
                objectType: string | null;
                /** Format: date-time */
                lastAt: string;
            }[];
        };
        EventDestinationList: {
            eventDestinations: components["schemas"]["EventDestination"][];
            nextCursor: string | null;
        };
        EventDestination: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /**
             * @description `http`: POST requests to `url`. `kafka`: records of a topic of Kafka, or of Redpanda.
             * @enum {string}
             */
            kind: "http" | "kafka";
            /** @description Of a topic: `kafka://`, its first broker and its name, for showing. */
            url: string;
            /** @description Null: it is of the kind `http`. */
            kafka: components["schemas"]["KafkaTopic"] | null;
            types: string[];
            connectionIds: string[] | null;
            tags: {
                [key: string]: string;
            };
            description: string | null;
            /** @enum {string} */
            ordered: "none" | "connection";
            /** @enum {string} */
            format: "standard" | "cloudevents";
            /**
             * @description `failing`: its last attempts failed, and it is only probed until one succeeds.
             * @enum {string}
             */
            state: "healthy" | "failing" | "disabled";
            /** @description `operator`: asked for; `gone`: it answered 410; `failing`: it took nothing for five days. `enable` goes on where it was. */
            disabledReason: ("operator" | "gone" | "failing") | null;
            disabledAt: string | null;
            failingSince: string | null;
            /** @description Nothing is sent before: it asked for a pause, or is failing and will be probed then. */
            pausedUntil: string | null;
            lastSuccessAt: string | null;
            lastFailureAt: string | null;
            lastFailure: ("refused_by_receiver" | "redirect" | "gone" | "aborted_by_receiver" | "timeout" | "address_refused" | "name_not_found" | "tls_failed" | "connection_failed" | "authentication_failed" | "topic_not_found" | "message_too_large" | "answer_invalid" | "event_expired") | null;
            queue: {
                /** @description Deliveries that wait for an attempt. */
                waiting: number;
                /** @description Events of the feed that have not been looked at yet. */
                behind: number;
                /** @description When the oldest of them came. */
                oldestAt: string | null;
                replaying: boolean;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        KafkaTopic: {
            /** @description Host and port of brokers, which tell the others. The addresses of all of them have to be public, also of those that the cluster names. */
            brokers: string[];
            /** @description It has to be there: none is created. */
            topic: string;
            tls: {
                ca: string | null;
            } | null;
            sasl: {
                /** @enum {string} */
                mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
                username: string;
            } | null;
        };
        NewEventDestination: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /**
             * @description `http`: POST requests to `url`. `kafka`: records of a topic of Kafka, or of Redpanda.
             * @enum {string}
             */
            kind: "http" | "kafka";
            /** @description Of a topic: `kafka://`, its first broker and its name, for showing. */
            url: string;
            /** @description Null: it is of the kind `http`. */
            kafka: components["schemas"]["KafkaTopic"] | null;
            types: string[];
            connectionIds: string[] | null;
            tags: {
                [key: string]: string;
            };
            description: string | null;
            /** @enum {string} */
            ordered: "none" | "connection";
            /** @enum {string} */
            format: "standard" | "cloudevents";
            /**
             * @description `failing`: its last attempts failed, and it is only probed until one succeeds.
             * @enum {string}
             */
            state: "healthy" | "failing" | "disabled";
            /** @description `operator`: asked for; `gone`: it answered 410; `failing`: it took nothing for five days. `enable` goes on where it was. */
            disabledReason: ("operator" | "gone" | "failing") | null;
            disabledAt: string | null;
            failingSince: string | null;
            /** @description Nothing is sent before: it asked for a pause, or is failing and will be probed then. */
            pausedUntil: string | null;
            lastSuccessAt: string | null;
            lastFailureAt: string | null;
            lastFailure: ("refused_by_receiver" | "redirect" | "gone" | "aborted_by_receiver" | "timeout" | "address_refused" | "name_not_found" | "tls_failed" | "connection_failed" | "authentication_failed" | "topic_not_found" | "message_too_large" | "answer_invalid" | "event_expired") | null;
            queue: {
                /** @description Deliveries that wait for an attempt. */
                waiting: number;
                /** @description Events of the feed that have not been looked at yet. */
                behind: number;
                /** @description When the oldest of them came. */
                oldestAt: string | null;
                replaying: boolean;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description Signs deliveries, as Standard Webhooks says; `whsec_` and base64. Shown this once. */
            secret: string;
        };
        EventDestinationTest: {
            /** Format: uuid */
            eventId: string;
            delivered: boolean;
            status: number | null;
            durationMs: number;
            error: ("refused_by_receiver" | "redirect" | "gone" | "aborted_by_receiver" | "timeout" | "address_refused" | "name_not_found" | "tls_failed" | "connection_failed" | "authentication_failed" | "topic_not_found" | "message_too_large" | "answer_invalid" | "event_expired") | null;
            code: string | null;
            /** @description The start of the answer. Of Kafka: where the record stands, or which broker failed. */
            answer: string | null;
        };
        RotatedSecret: {
            /** @description Signs deliveries, as Standard Webhooks says; `whsec_` and base64. Shown this once. */
            secret: string;
            /**
             * Format: date-time
             * @description Until then deliveries carry a signature of each secret.
             */
            previousUntil: string;
        };
        EventReplay: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            destinationId: string;
            /** @description Events of the feed that are looked at. */
            events: number;
        };
        EventReplayList: {
            replays: {
                /** Format: uuid */
                id: string;
                /** @description Events that have not been looked at yet. */
                remaining: number;
                /** Format: date-time */
                createdAt: string;
            }[];
        };
        DeliveryCauseList: {
            causes: {
                /** Format: uuid */
                destinationId: string;
                error: ("refused_by_receiver" | "redirect" | "gone" | "aborted_by_receiver" | "timeout" | "address_refused" | "name_not_found" | "tls_failed" | "connection_failed" | "authentication_failed" | "topic_not_found" | "message_too_large" | "answer_invalid" | "event_expired") | null;
                status: number | null;
                /** @description Deliveries that will be tried again. */
                failed: number;
                /** @description Deliveries that will not. */
                dead: number;
                lastAttemptAt: string | null;
                /**
                 * Format: uuid
                 * @description The newest of them.
                 */
                deliveryId: string;
            }[];
            nextCursor: string | null;
        };
        RetriedDeliveries: {
            retried: number;
            /** @description At most 5000 at once: ask again for the others. */
            hasMore: boolean;
        };
        /** @description One for each destination; none where none wants the event. */
        RedeliveredEvent: {
            deliveries: components["schemas"]["Delivery"][];
        };
        Delivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            destinationId: string;
            /** Format: uuid */
            eventId: string;
            eventType: string;
            connectionId: string | null;
            /**
             * Format: date-time
             * @description Of the event.
             */
            createdAt: string;
            /**
             * @description `failed`: the last attempt failed, and another one will come. `dead`: none will, unless it is asked for.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "dead";
            /** @description Of the present schedule; a retry of what was over begins again. */
            attemptsMade: number;
            nextAttemptAt: string | null;
            lastAttemptAt: string | null;
            lastStatus: number | null;
            lastError: ("refused_by_receiver" | "redirect" | "gone" | "aborted_by_receiver" | "timeout" | "address_refused" | "name_not_found" | "tls_failed" | "connection_failed" | "authentication_failed" | "topic_not_found" | "message_too_large" | "answer_invalid" | "event_expired") | null;
        };
        DeliveryList: {
            deliveries: components["schemas"]["Delivery"][];
            nextCursor: string | null;
        };
        DeliveryDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            destinationId: string;
            /** Format: uuid */
            eventId: string;
            eventType: string;
            connectionId: string | null;
            /**
             * Format: date-time
             * @description Of the event.
             */
            createdAt: string;
            /**
             * @description `failed`: the last attempt failed, and another one will come. `dead`: none will, unless it is asked for.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "dead";
            /** @description Of the present schedule; a retry of what was over begins again. */
            attemptsMade: number;
            nextAttemptAt: string | null;
            lastAttemptAt: string | null;
            lastStatus: number | null;
            lastError: ("refused_by_receiver" | "redirect" | "gone" | "aborted_by_receiver" | "timeout" | "address_refused" | "name_not_found" | "tls_failed" | "connection_failed" | "authentication_failed" | "topic_not_found" | "message_too_large" | "answer_invalid" | "event_expired") | null;
            /** @description The last 30, the oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        DeliveryAttempt: {
            /** Format: date-time */
            at: string;
            status: number | null;
            durationMs: number;
            error: ("refused_by_receiver" | "redirect" | "gone" | "aborted_by_receiver" | "timeout" | "address_refused" | "name_not_found" | "tls_failed" | "connection_failed" | "authentication_failed" | "topic_not_found" | "message_too_large" | "answer_invalid" | "event_expired") | null;
            /** @description What the system or Kafka calls it, such as ECONNREFUSED. */
            code: string | null;
            /** @description The start of the answer, up to 1 KiB. Of Kafka: where the record stands, or which broker failed. */
            answer: string | null;
        };
        WebhookHandshake: {
            /**
             * @description `unused`: no handshake of the provider brings the secret of this address. `known`: it has a webhook secret. `closed`: a handshake that brings one is refused. `open`: the first one until `expiresAt` is taken.
             * @enum {string}
             */
            state: "unused" | "known" | "closed" | "open";
            /** @description Null unless it is open. */
            expiresAt: string | null;
        };
        WebhookReceiptList: {
            webhookReceipts: components["schemas"]["ListedWebhookReceipt"][];
            /** @description The same under an earlier name. */
            receipts: components["schemas"]["ListedWebhookReceipt"][];
            nextCursor: string | null;
        };
        ListedWebhookReceipt: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /** @description Of a webhook that came to the address of one connection. */
            connectionId: string | null;
            /**
             * @description `unmatched`: no connection has the account; it is matched again when one appears. `duplicate`: each of its events had come before. `rejected`: nothing shows that the provider sent it, or it is no webhook of the provider.
             * @enum {string}
             */
            state: "accepted" | "unmatched" | "rejected" | "duplicate";
            /** @description Why it was rejected: `signature_missing`, `signature_mismatch`, `signature_expired`, `malformed` and the like. `signature_other_integration`: it is signed for another integration of the project. `signature_other_scheme`: it is signed for the same address with http in the place of https, or the other way round. */
            reason: string | null;
            /** @description The integration whose secret fits, with the reason `signature_other_integration`. */
            signedForIntegrationId: string | null;
            /** Format: date-time */
            receivedAt: string;
            method: string;
            bodyBytes: number;
            /** @description Of rejected webhooks the first 16 KiB are kept. */
            isBodyCut: boolean;
            /** @description What it was split into; null until it is. */
            events: {
                total: number;
                matched: number;
                unmatched: number;
                duplicates: number;
            } | null;
            splitAt: string | null;
            /** @description Without secrets. */
            query: string;
            /** @description Credentials left out, signatures cut. */
            headers: {
                [key: string]: string[];
            };
            /** @description As it came; null where it is longer than 2 KiB (read the receipt by its id), or its key is gone. */
            body: string | null;
            /**
             * @description `base64` where the body is no UTF-8 text.
             * @enum {string}
             */
            bodyEncoding: "text" | "base64";
        };
        WebhookReceiptDetail: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /** @description Of a webhook that came to the address of one connection. */
            connectionId: string | null;
            /**
             * @description `unmatched`: no connection has the account; it is matched again when one appears. `duplicate`: each of its events had come before. `rejected`: nothing shows that the provider sent it, or it is no webhook of the provider.
             * @enum {string}
             */
            state: "accepted" | "unmatched" | "rejected" | "duplicate";
            /** @description Why it was rejected: `signature_missing`, `signature_mismatch`, `signature_expired`, `malformed` and the like. `signature_other_integration`: it is signed for another integration of the project. `signature_other_scheme`: it is signed for the same address with http in the place of https, or the other way round. */
            reason: string | null;
            /** @description The integration whose secret fits, with the reason `signature_other_integration`. */
            signedForIntegrationId: string | null;
            /** Format: date-time */
            receivedAt: string;
            method: string;
            bodyBytes: number;
            /** @description Of rejected webhooks the first 16 KiB are kept. */
            isBodyCut: boolean;
            /** @description What it was split into; null until it is. */
            events: {
                total: number;
                matched: number;
                unmatched: number;
                duplicates: number;
            } | null;
            splitAt: string | null;
            /** @description Without secrets. */
            query: string;
            /** @description Credentials left out, signatures cut. */
            headers: {
                [key: string]: string[];
            };
            /** @description As it came; null where its key is gone. */
            body: string | null;
            /**
             * @description `base64` where the body is no UTF-8 text.
             * @enum {string}
             */
            bodyEncoding: "text" | "base64";
        };
        WebhookReceipt: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /** @description Of a webhook that came to the address of one connection. */
            connectionId: string | null;
            /**
             * @description `unmatched`: no connection has the account; it is matched again when one appears. `duplicate`: each of its events had come before. `rejected`: nothing shows that the provider sent it, or it is no webhook of the provider.
             * @enum {string}
             */
            state: "accepted" | "unmatched" | "rejected" | "duplicate";
            /** @description Why it was rejected: `signature_missing`, `signature_mismatch`, `signature_expired`, `malformed` and the like. `signature_other_integration`: it is signed for another integration of the project. `signature_other_scheme`: it is signed for the same address with http in the place of https, or the other way round. */
            reason: string | null;
            /** @description The integration whose secret fits, with the reason `signature_other_integration`. */
            signedForIntegrationId: string | null;
            /** Format: date-time */
            receivedAt: string;
            method: string;
            bodyBytes: number;
            /** @description Of rejected webhooks the first 16 KiB are kept. */
            isBodyCut: boolean;
            /** @description What it was split into; null until it is. */
            events: {
                total: number;
                matched: number;
                unmatched: number;
                duplicates: number;
            } | null;
            splitAt: string | null;
        };
        WebhookSubscriptionList: {
            subscriptions: components["schemas"]["WebhookSubscription"][];
            nextCursor: string | null;
        };
        WebhookSubscription: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /** @description Null: of the whole integration. */
            connectionId: string | null;
            /**
             * @description `manual`: you register the address at the provider by hand. `pending`: the gateway is about to. `failing`: the provider refused, see `lastError`; the gateway tries again. `removing`: the gateway removes it at the provider.
             * @enum {string}
             */
            state: "manual" | "pending" | "active" | "failing" | "removing";
            /** @description Names of the provider’s; empty: all that the catalog names. */
            wantedEvents: string[];
            /** @description The gateway renews it before. */
            expiresAt: string | null;
            registeredAt: string | null;
            lastError: string | null;
            lastErrorAt: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        NewWebhookSubscription: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /** @description Null: of the whole integration. */
            connectionId: string | null;
            /**
             * @description `manual`: you register the address at the provider by hand. `pending`: the gateway is about to. `failing`: the provider refused, see `lastError`; the gateway tries again. `removing`: the gateway removes it at the provider.
             * @enum {string}
             */
            state: "manual" | "pending" | "active" | "failing" | "removing";
            /** @description Names of the provider’s; empty: all that the catalog names. */
            wantedEvents: string[];
            /** @description The gateway renews it before. */
            expiresAt: string | null;
            registeredAt: string | null;
            lastError: string | null;
            lastErrorAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description The address with its unguessable part. It is shown here only: repeat the request to see it again. */
            webhookUrl: string;
            /** @description A secret of the gateway’s making that you enter at the provider; null where there is none to enter. */
            secret: string | null;
            /** @description What to do at the provider where the state is `manual`. */
            steps: string[];
        };
        CreatePoll: {
            /** Format: uuid */
            integrationId: string;
            /** @description One of the provider’s, by name: `GET /v1/providers/{provider}/poll-resources`. */
            resource?: string;
            custom?: components["schemas"]["PollResource"];
            intervalSeconds: number;
            /** @description The members that the provider is asked for, where it can be told; left out: those of the resource. */
            fields?: string[];
            /** @description Values of the resource’s own parameters, such as a channel or a calendar. */
            parameters?: {
                [key: string]: string;
            };
            /**
             * @description `full`: everything that is there is told as created first; `none`: what changes from now on.
             * @default none
             * @enum {string}
             */
            backfill: "none" | "full";
            /**
             * @description `scan`: everything is listed now and then, to find what is gone.
             * @default none
             * @enum {string}
             */
            deletes: "none" | "scan";
            /** @default 86400 */
            scanIntervalSeconds: number;
        };
        /** @description How records are asked for and read, as in the `polls` of a provider file. */
        PollResource: {
            title?: string;
            object: string;
            /** Format: uri */
            docsUrl?: string;
            /** @default [] */
            scopes: string[];
            /** @default [] */
            notes: string[];
            clientToken?: {
                /** @default [] */
                scopes: string[];
            };
            /** @default 100 */
            pageSize: number;
            /** @default [] */
            fields: string[];
            /** @default {} */
            parameters: {
                [key: string]: {
                    description: string;
                    default?: string;
                    example?: string;
                };
            };
            record: {
                id: string | string[];
                updatedAt?: {
                    path: string | string[];
                    /**
                     * @default iso
                     * @enum {string}
                     */
                    format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                };
                createdAt?: {
                    path: string | string[];
                    /**
                     * @default iso
                     * @enum {string}
                     */
                    format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                };
                deleted?: {
                    path: string;
                    values?: string[];
                };
                /** @default [] */
                ignore: string[];
            };
            success?: {
                path: string;
                /** @default true */
                value: string;
            };
            changes?: {
                /** @constant */
                by: "timestamp";
                request: {
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    path: string;
                    /** @default {} */
                    query: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                /**
                 * @default {
                 *       "by": "none"
                 *     }
                 */
                paging: {
                    /** @constant */
                    by: "none";
                } | {
                    /** @constant */
                    by: "token";
                    path: string;
                    /** @default false */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "link";
                    path: string;
                    /** @default false */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "link-header";
                    /** @default true */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "offset";
                    more?: string;
                    next?: string;
                } | {
                    /** @constant */
                    by: "page";
                    /** @default 1 */
                    first: number;
                    more?: string;
                };
                items?: string;
                /**
                 * @default iso
                 * @enum {string}
                 */
                format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                /** @default 1 */
                unitMs: number;
                /**
                 * @default unordered
                 * @enum {string}
                 */
                order: "ascending" | "descending" | "unordered";
                /** @default false */
                isExclusive: boolean;
                /** @default 60 */
                overlapSeconds: number;
                tie?: {
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    path: string;
                    /** @default {} */
                    query: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                /** @default  */
                firstId: string;
                keptDays?: number;
            } | {
                /** @constant */
                by: "token";
                request: {
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    path: string;
                    /** @default {} */
                    query: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                /**
                 * @default {
                 *       "by": "none"
                 *     }
                 */
                paging: {
                    /** @constant */
                    by: "none";
                } | {
                    /** @constant */
                    by: "token";
                    path: string;
                    /** @default false */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "link";
                    path: string;
                    /** @default false */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "link-header";
                    /** @default true */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "offset";
                    more?: string;
                    next?: string;
                } | {
                    /** @constant */
                    by: "page";
                    /** @default 1 */
                    first: number;
                    more?: string;
                };
                items?: string;
                token: string;
                /** @default false */
                isLink: boolean;
                start?: {
                    request: {
                        /**
                         * @default GET
                         * @enum {string}
                         */
                        method: "GET" | "POST";
                        path: string;
                        /** @default {} */
                        query: {
                            [key: string]: string;
                        };
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        body?: {
                            [key: string]: unknown;
                        };
                    };
                    token: string;
                };
                /** @default {} */
                expired: {
                    /**
                     * @default [
                     *       410
                     *     ]
                     */
                    statuses: number[];
                    error?: {
                        path: string;
                        values: string[];
                    };
                };
            } | {
                /** @constant */
                by: "log";
                request: {
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    path: string;
                    /** @default {} */
                    query: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                earliest: {
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    path: string;
                    /** @default {} */
                    query: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                latest: {
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    path: string;
                    /** @default {} */
                    query: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                items?: string;
                token: string;
                /**
                 * @default [
                 *       204
                 *     ]
                 */
                nothing: number[];
                /** @default {} */
                expired: {
                    /**
                     * @default [
                     *       404
                     *     ]
                     */
                    statuses: number[];
                    error?: {
                        path: string;
                        values: string[];
                    };
                };
                file?: string;
                change: {
                    path: string;
                    /** @default [] */
                    created: string[];
                    /** @default [] */
                    updated: string[];
                    /** @default [] */
                    deleted: string[];
                };
                objects?: {
                    path: string;
                    names: {
                        [key: string]: string;
                    };
                };
                account?: string;
                subscriptions?: {
                    each: string;
                    list: {
                        request: {
                            /**
                             * @default GET
                             * @enum {string}
                             */
                            method: "GET" | "POST";
                            path: string;
                            /** @default {} */
                            query: {
                                [key: string]: string;
                            };
                            /** @default {} */
                            headers: {
                                [key: string]: string;
                            };
                            body?: {
                                [key: string]: unknown;
                            };
                        };
                        items?: string;
                    };
                    match: {
                        [key: string]: string;
                    };
                    create: {
                        /**
                         * @default GET
                         * @enum {string}
                         */
                        method: "GET" | "POST";
                        path: string;
                        /** @default {} */
                        query: {
                            [key: string]: string;
                        };
                        /** @default {} */
                        headers: {
                            [key: string]: string;
                        };
                        body?: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            list?: {
                request: {
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    path: string;
                    /** @default {} */
                    query: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                /**
                 * @default {
                 *       "by": "none"
                 *     }
                 */
                paging: {
                    /** @constant */
                    by: "none";
                } | {
                    /** @constant */
                    by: "token";
                    path: string;
                    /** @default false */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "link";
                    path: string;
                    /** @default false */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "link-header";
                    /** @default true */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "offset";
                    more?: string;
                    next?: string;
                } | {
                    /** @constant */
                    by: "page";
                    /** @default 1 */
                    first: number;
                    more?: string;
                };
                items?: string;
            };
            deleted?: {
                request: {
                    /**
                     * @default GET
                     * @enum {string}
                     */
                    method: "GET" | "POST";
                    path: string;
                    /** @default {} */
                    query: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    headers: {
                        [key: string]: string;
                    };
                    body?: {
                        [key: string]: unknown;
                    };
                };
                /**
                 * @default {
                 *       "by": "none"
                 *     }
                 */
                paging: {
                    /** @constant */
                    by: "none";
                } | {
                    /** @constant */
                    by: "token";
                    path: string;
                    /** @default false */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "link";
                    path: string;
                    /** @default false */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "link-header";
                    /** @default true */
                    shifts: boolean;
                } | {
                    /** @constant */
                    by: "offset";
                    more?: string;
                    next?: string;
                } | {
                    /** @constant */
                    by: "page";
                    /** @default 1 */
                    first: number;
                    more?: string;
                };
                items?: string;
                id: string | string[];
                deletedAt?: {
                    path: string | string[];
                    /**
                     * @default iso
                     * @enum {string}
                     */
                    format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                };
                /**
                 * @default iso
                 * @enum {string}
                 */
                format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                /** @default 60 */
                overlapSeconds: number;
                /** @default 0 */
                spanSecondsMin: number;
                keptDays?: number;
                covered?: {
                    path: string | string[];
                    /**
                     * @default iso
                     * @enum {string}
                     */
                    format: "iso" | "iso-seconds" | "sql" | "epoch-ms" | "epoch-s";
                };
            };
        };
        Poll: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            serviceProvider: string;
            resource: string | null;
            custom: {
                [key: string]: unknown;
            } | null;
            /** @description The middle of its events’ types. */
            objectType: string;
            intervalSeconds: number;
            fields: string[];
            parameters: {
                [key: string]: string;
            };
            /** @enum {string} */
            backfill: "none" | "full";
            /** @enum {string} */
            deletes: "none" | "scan";
            scanIntervalSeconds: number;
            /**
             * @description `failing`: with one connection at least.
             * @enum {string}
             */
            state: "running" | "failing" | "paused";
            connections: number;
            failingConnections: number;
            /** @description Of a poll that was just made: scopes that its records need and the integration does not ask for. It fails until they are added and the connections authorized again. */
            missingScopes?: string[];
            /** @description How long ago the changes of the connection that is furthest behind were read. */
            lagSeconds: number | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        PollDryRun: {
            /** Format: uuid */
            connectionId: string;
            /** @description What was sent, credentials hidden. Without `status` and `error`: only shown. */
            requests: {
                method: string;
                url: string;
                headers: {
                    [key: string]: string;
                };
                body: string | null;
                /** @description What it is for: `changes`, `list`, `deleted`, `start`, `token`, `subscriptions`, `subscribe`, `file`. */
                purpose: string;
                status: number | null;
                error: string | null;
            }[];
            records: {
                id: string;
                updatedAt: string | null;
                createdAt: string | null;
                isDeleted: boolean;
                eventType: string;
                data: unknown;
            }[];
            notes: string[];
        };
        PollList: {
            polls: components["schemas"]["Poll"][];
            nextCursor: string | null;
        };
        UpdatePoll: {
            intervalSeconds?: number;
            /** @description The members that the provider is asked for, where it can be told; left out: those of the resource. */
            fields?: string[];
            /** @enum {string} */
            deletes?: "none" | "scan";
            scanIntervalSeconds?: number;
        };
        PollConnectionList: {
            connections: components["schemas"]["PollConnection"][];
            nextCursor: string | null;
        };
        PollConnection: {
            /** Format: uuid */
            connectionId: string;
            /** Format: uuid */
            integrationUserId: string;
            userId: string;
            owner: {
                /** @enum {string} */
                type: "user" | "organization";
                id: string;
            };
            accountName: string | null;
            /** @enum {string} */
            state: "running" | "waiting" | "failing" | "paused";
            /** @description What is being read; null between runs. */
            phase: ("backfill" | "baseline" | "changes" | "deleted" | "scan") | null;
            /** @description Up to where changes have been read; a token is shortened. */
            cursor: string | null;
            lastRunAt: string | null;
            nextRunAt: string | null;
            lagSeconds: number | null;
            recordsSeen: number;
            pagesRead: number;
            /** @description Records read in the listing that is under way. */
            recordsInPass: number;
            /** @description Why it does not go on; null while it does. */
            lastError: {
                code: string;
                detail: string | null;
                failures: number;
            } | null;
        };
        PollResourceList: {
            resources: {
                name: string;
                title: string;
                object: string;
                docsUrl: string | null;
                scopes: string[];
                notes: string[];
                fields: string[];
                parameters: {
                    [key: string]: {
                        description: string;
                        default: string | null;
                        example: string | null;
                    };
                };
                /**
                 * @description How changes are found: by time, by a change token, in a log that tells each change, or by reading everything each time.
                 * @enum {string}
                 */
                changes: "timestamp" | "token" | "log" | "scan";
                /** @description Deletions are told without a scan. */
                listsDeleted: boolean;
                canScan: boolean;
                definition: {
                    [key: string]: unknown;
                };
            }[];
        };
        ApprovalList: {
            approvals: components["schemas"]["Approval"][];
            nextCursor: string | null;
        };
        Approval: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** @enum {string} */
            state: "pending" | "approved" | "rejected" | "expired" | "used";
            /**
             * @description `once`: this approval lets later calls of the token by the same entry pass as well.
             * @enum {string}
             */
            mode: "once" | "each";
            /** @description Your own id of the user. */
            userId: string;
            /** Format: uuid */
            integrationUserId: string;
            /** Format: uuid */
            integrationId: string;
            /** Format: uuid */
            connectionId: string;
            serviceProvider: string;
            method: string;
            /**
             * Format: uri
             * @description The page on which the person decides. It holds no secret.
             */
            url: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            decidedAt: string | null;
            decidedBy: {
                /** @enum {string} */
                kind: "operator" | "api_key" | "end_user";
                /** Format: uuid */
                id: string;
            } | null;
            /** @description When it was used or refused, or expired. */
            endedAt: string | null;
            asker: components["schemas"]["ApprovalAsker"] | null;
            /** @description The entry of the mandate that wants the approval. */
            entry: components["schemas"]["ShownMandateEntry"] | null;
            /** @description The exact call. Null once it has ended, when it is erased, and for tokens with a mandate. `asker` and `entry` likewise. */
            call: components["schemas"]["ApprovalCall"] | null;
        };
        ApprovalAsker: {
            /** @description Id of the token that asked. */
            jti: string | null;
            /** @description Its `client_id` or `azp`. */
            client: string | null;
            /** @description Its `act` chain (RFC 8693), the one that calls first. */
            readonly actors: components["schemas"]["ApprovalActor"][];
            /** @description What an MCP client calls itself: its own word, which nothing vouches for. */
            declaredClient: string | null;
        };
        ApprovalActor: {
            id: string;
            name: string | null;
        };
        ApprovalCall: {
            /** @description Name of a further host; null: the API base. */
            host: string | null;
            /** @description As it is sent, behind the provider. */
            path: string;
            /** @description As it is sent: empty, or from the question mark on. */
            query: string;
            /** @description The caller’s own fields that the provider gets. Left out of lists. */
            headers?: {
                name: string;
                value: string;
            }[];
            body: {
                bytes: number;
                /** @description In hexadecimal digits. */
                sha256: string;
                /** @description The body where it is UTF-8, else null. Left out of lists. */
                text?: string | null;
                /** @description The bytes as they are sent. Left out of lists. */
                base64?: string;
            };
        };
        ApprovalSession: {
            /**
             * Format: uri
             * @description Send the person’s browser there. It can be opened in one browser.
             */
            url: string;
            /** Format: date-time */
            expiresAt: string;
        };
        PortalSession: {
            /** Format: uuid */
            id: string;
            url: string;
            /** Format: date-time */
            expiresAt: string;
        };
        AgentConsentList: {
            consents: components["schemas"]["AgentConsent"][];
            nextCursor: string | null;
        };
        AgentConsent: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /** @description Your id of the user. */
            userId: string;
            /**
             * Format: uuid
             * @description The gateway’s id of the user.
             */
            integrationUserId: string;
            client: {
                /** @description The address of the client’s metadata document; a UUID of one that registered itself. */
                id: string;
                /** @description What the client calls itself. */
                name: string | null;
                /** @description Where its document stands: that is proved. Null: it registered itself. */
                host: string | null;
            };
            /**
             * @description `read`: whatever the mandate allows beyond that, nothing is changed.
             * @enum {string}
             */
            access: "read" | "all";
            /** @description The mandate of the token that the person signed in with; null: none. */
            authorizationDetails: components["schemas"]["ShownMandateEntry"][] | null;
            /** @description The named mandate of that token. */
            mandateId: string | null;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the client got its latest token.
             */
            usedAt: string;
        };
        UserWithNumbers: {
            /**
             * Format: uuid
             * @description What connections show as `integrationUserId`.
             */
            id: string;
            userId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description What erasing the user would erase, among more. */
            holds: {
                /** @description Connections, counted up to 10,000. */
                connections: number;
                /** @description Authorizations that were begun lately, counted up to 10,000. */
                connectSessions: number;
                /** @description Kept events of these connections, counted up to 10,000. */
                events: number;
                /** @description Kept calls, counted up to 10,000. */
                calls: number;
            };
        };
        UserErasure: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            projectId: string;
            /**
             * @description `done`: nothing of the user is left in the gateway’s store but the pseudonym, and every grant has been tried at its provider once. `unrevoked` may still become shorter.
             * @enum {string}
             */
            state: "running" | "done";
            /**
             * @description Of whom it is.
             * @enum {string}
             */
            kind: "user" | "organization";
            /**
             * Format: uuid
             * @description What the activity log has in the place of the user. Nothing leads from it to the user.
             */
            pseudonym: string;
            /** Format: date-time */
            createdAt: string;
            finishedAt: string | null;
            /** @description Rows by kind: `connections`, `connectSessions`, `events`, `deliveries`, `webhookReceipts`, `calls`, `pollRecords`, `storedReplies`, `activityEntries`. Of `activityEntries`, those that have the pseudonym now. */
            erased: {
                [key: string]: number;
            };
            /** @description Grants that their providers took back. */
            revoked: number;
            unrevoked: {
                /** Format: uuid */
                integrationId: string;
                serviceProvider: string;
                /**
                 * @description `nothing_to_revoke`: the provider takes no credentials of this kind back, such as API keys that users typed in: they are good until somebody withdraws them there. `credentials_unreadable`: no key of the gateway opens them. `kept_for_another_connection`: the provider would have ended a connection of another user. `failing`: the provider did not take it, and is asked again until `triedUntil`. `refused`: it did not for a day. `waiting`: it has not been asked yet.
                 * @enum {string}
                 */
                reason: "nothing_to_revoke" | "credentials_unreadable" | "kept_for_another_connection" | "refused" | "failing" | "waiting";
                /** @description What came of the last request to the provider. */
                errorCode: string | null;
                grants: number;
                triedUntil: string | null;
            }[];
        };
        UserErasureList: {
            userErasures: components["schemas"]["UserErasure"][];
            nextCursor: string | null;
        };
        OrganizationList: {
            organizations: components["schemas"]["Organization"][];
            nextCursor: string | null;
        };
        Organization: {
            /**
             * Format: uuid
             * @description What its connections show as `integrationUserId`.
             */
            id: string;
            /** @description Your own id of it, the `org` of tokens. */
            organizationId: string;
            /** @description Its own quota; null: `limits.organizationCallsPerDay` of the project, where there is one. */
            callsPerDay: number | null;
            /** Format: date-time */
            createdAt: string;
        };
        OrganizationWithNumbers: {
            /**
             * Format: uuid
             * @description What its connections show as `integrationUserId`.
             */
            id: string;
            /** @description Your own id of it, the `org` of tokens. */
            organizationId: string;
            /** @description Its own quota; null: `limits.organizationCallsPerDay` of the project, where there is one. */
            callsPerDay: number | null;
            /** Format: date-time */
            createdAt: string;
            holds: {
                /** @description Connections, counted up to 10,000. */
                connections: number;
                /** @description Authorizations that were begun lately, counted up to 10,000. */
                connectSessions: number;
                /** @description Kept events of these connections, counted up to 10,000. */
                events: number;
                /** @description Kept calls over these connections, counted up to 10,000. */
                calls: number;
            };
        };
        SearchResults: {
            results: {
                /** @enum {string} */
                kind: "request" | "connection" | "user" | "integration" | "provider" | "project";
                /** @description A provider’s name, else a UUID; a user’s is `integrationUserId`. */
                id: string;
                title: string;
                subtitle: string | null;
                projectId: string | null;
            }[];
        };
        GatewayRestore: {
            /**
             * @description `running`: it was never started with RESTORED. `held`: nothing is refreshed, delivered or polled. `probing`: the connections are asked about at their providers, and it goes on afterwards.
             * @enum {string}
             */
            state: "running" | "held" | "probing" | "resumed";
            heldAt: string | null;
            resumedAt: string | null;
            /** @description Without the connections of frozen projects. */
            probed: number;
            alive: number;
            /** @description Connections whose credentials were spent after the backup: their users have to authorize again. What neither lives nor died could not be found out. */
            died: number;
            /** @description Those that died, 1,000 at a time, in the order of their ids. */
            deaths: {
                /** Format: uuid */
                projectId: string;
                /** Format: uuid */
                connectionId: string;
                /** Format: uuid */
                integrationId: string;
                serviceProvider: string;
                reason: string;
            }[];
            nextCursor: string | null;
        };
        /** @description The nullable members are for owners of the gateway only. */
        Gateway: {
            version: string;
            publicUrl: string;
            proxyUrl: string;
            /**
             * Format: date-time
             * @description Of the process that answers.
             */
            startedAt: string;
            demo: boolean;
            store: {
                embedded: boolean;
                serverVersion: string;
                /** @description The newest one that is applied. */
                migration: string | null;
            } | null;
            encryptionKeys: {
                id: string;
                /** @description Sealed texts; null while they are counted. */
                rows: number | null;
            }[] | null;
            replicas: {
                id: string;
                /** Format: date-time */
                startedAt: string;
            }[] | null;
            settings: {
                [key: string]: unknown;
            } | null;
            untrustedProxy: {
                address: string;
                /** Format: date-time */
                seenAt: string;
            } | null;
        };
        ConnectionEvent: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "connection.created" | "connection.reauthorized" | "connection.updated" | "connection.reauthorization_required";
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /** Format: uuid */
            connectionId: string;
            /** Format: uuid */
            integrationUserId: string;
            userId: string | null;
            /** @description Whose connection it is about, by your own id. */
            owner: {
                /** @enum {string} */
                type: "user" | "organization";
                id: string;
            } | null;
            /** @constant */
            source: "gateway";
            data: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                projectId: string;
                /** Format: uuid */
                integrationId: string;
                /** Format: uuid */
                integrationUserId: string;
                userId: string | null;
                /** @description Your own id of the organization that has it. */
                organization: string | null;
                serviceProvider: string;
                /** @enum {string} */
                status: "active" | "reauthorization_required";
                statusReason: string | null;
                grantedScopes: string[];
                accountId: string | null;
                accountName: string | null;
                tenantId: string | null;
                tenantName: string | null;
            };
        };
        ConnectionDeletedEvent: {
            /** Format: uuid */
            id: string;
            /** @constant */
            type: "connection.deleted";
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /** Format: uuid */
            connectionId: string;
            /** Format: uuid */
            integrationUserId: string;
            userId: string | null;
            /** @description Whose connection it is about, by your own id. */
            owner: {
                /** @enum {string} */
                type: "user" | "organization";
                id: string;
            } | null;
            /** @constant */
            source: "gateway";
            data: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                projectId: string;
                /** Format: uuid */
                integrationId: string;
                /** Format: uuid */
                integrationUserId: string;
                /** @description Null where the user was deleted too. */
                userId: string | null;
            };
        };
        IntegrationUpdatedEvent: {
            /** Format: uuid */
            id: string;
            /** @constant */
            type: "integration.updated";
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            connectionId: null;
            integrationUserId: null;
            userId: null;
            /** @description Whose connection it is about, by your own id. */
            owner: {
                /** @enum {string} */
                type: "user" | "organization";
                id: string;
            } | null;
            /** @constant */
            source: "gateway";
            data: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                projectId: string;
                /** @description Names of the members that were changed. */
                fields: string[];
            };
        };
        ApprovalEvent: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "approval.requested" | "approval.approved" | "approval.rejected" | "approval.expired";
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            projectId: string;
            /** Format: uuid */
            integrationId: string;
            /** Format: uuid */
            connectionId: string;
            /** Format: uuid */
            integrationUserId: string;
            userId: string | null;
            /** @description Whose connection it is about, by your own id. */
            owner: {
                /** @enum {string} */
                type: "user" | "organization";
                id: string;
            } | null;
            /** @constant */
            source: "gateway";
            data: {
                /**
                 * Format: uuid
                 * @description Of the approval: `GET /v1/approvals/{id}`.
                 */
                id: string;
                /** Format: uuid */
                projectId: string;
                serviceProvider: string;
                method: string;
                /** @enum {string} */
                mode: "once" | "each";
            };
        };
        ActivityEvent: {
            /** Format: uuid */
            id: string;
            type: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            projectId: string;
            integrationId: string | null;
            connectionId: string | null;
            integrationUserId: string | null;
            userId: string | null;
            /** @description Whose connection it is about, by your own id. */
            owner: {
                /** @enum {string} */
                type: "user" | "organization";
                id: string;
            } | null;
            /** @constant */
            source: "gateway";
            data: components["schemas"]["Activity"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Problem = components['schemas']['Problem'];
export type SetupResult = components['schemas']['SetupResult'];
export type Operator = components['schemas']['Operator'];
export type Project = components['schemas']['Project'];
export type Session = components['schemas']['Session'];
export type SessionList = components['schemas']['SessionList'];
export type SignInOptions = components['schemas']['SignInOptions'];
export type GatewayOwnerList = components['schemas']['GatewayOwnerList'];
export type GatewayOwner = components['schemas']['GatewayOwner'];
export type NewSecondFactor = components['schemas']['NewSecondFactor'];
export type PersonalAccessTokenList = components['schemas']['PersonalAccessTokenList'];
export type PersonalAccessToken = components['schemas']['PersonalAccessToken'];
export type NewPersonalAccessToken = components['schemas']['NewPersonalAccessToken'];
export type ProjectList = components['schemas']['ProjectList'];
export type MemberList = components['schemas']['MemberList'];
export type Member = components['schemas']['Member'];
export type EndUserList = components['schemas']['EndUserList'];
export type EndUser = components['schemas']['EndUser'];
export type ActivityList = components['schemas']['ActivityList'];
export type Activity = components['schemas']['Activity'];
export type InvitationList = components['schemas']['InvitationList'];
export type Invitation = components['schemas']['Invitation'];
export type NewInvitation = components['schemas']['NewInvitation'];
export type InvitationFacts = components['schemas']['InvitationFacts'];
export type OwnInvitationList = components['schemas']['OwnInvitationList'];
export type OwnInvitation = components['schemas']['OwnInvitation'];
export type ApiKeyList = components['schemas']['ApiKeyList'];
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyScope = components['schemas']['ApiKeyScope'];
export type NewApiKey = components['schemas']['NewApiKey'];
export type SigningKeyList = components['schemas']['SigningKeyList'];
export type SigningKey = components['schemas']['SigningKey'];
export type KeySetFacts = components['schemas']['KeySetFacts'];
export type MandateEntry = components['schemas']['MandateEntry'];
export type UserToken = components['schemas']['UserToken'];
export type RevocationList = components['schemas']['RevocationList'];
export type Revocation = components['schemas']['Revocation'];
export type MandateList = components['schemas']['MandateList'];
export type Mandate = components['schemas']['Mandate'];
export type ShownMandateEntry = components['schemas']['ShownMandateEntry'];
export type MandateExplanation = components['schemas']['MandateExplanation'];
export type RevocationReport = components['schemas']['RevocationReport'];
export type RevocationReportList = components['schemas']['RevocationReportList'];
export type ProviderList = components['schemas']['ProviderList'];
export type Provider = components['schemas']['Provider'];
export type ProviderVariable = components['schemas']['ProviderVariable'];
export type ProviderGrant = components['schemas']['ProviderGrant'];
export type GrantField = components['schemas']['GrantField'];
export type ProviderSummaryList = components['schemas']['ProviderSummaryList'];
export type ProviderSummary = components['schemas']['ProviderSummary'];
export type CreateProvider = components['schemas']['CreateProvider'];
export type ProviderDryRun = components['schemas']['ProviderDryRun'];
export type ProviderRequest = components['schemas']['ProviderRequest'];
export type ProviderDiscovery = components['schemas']['ProviderDiscovery'];
export type UpdateProvider = components['schemas']['UpdateProvider'];
export type ProviderFiles = components['schemas']['ProviderFiles'];
export type IntegrationList = components['schemas']['IntegrationList'];
export type ListedIntegration = components['schemas']['ListedIntegration'];
export type AuthorizationServer = components['schemas']['AuthorizationServer'];
export type IntegrationNumbers = components['schemas']['IntegrationNumbers'];
export type Integration = components['schemas']['Integration'];
export type OrganizationClientList = components['schemas']['OrganizationClientList'];
export type OrganizationClient = components['schemas']['OrganizationClient'];
export type IntegrationSecretList = components['schemas']['IntegrationSecretList'];
export type IntegrationSecret = components['schemas']['IntegrationSecret'];
export type ExportedConfiguration = components['schemas']['ExportedConfiguration'];
export type ConfigurationPlan = components['schemas']['ConfigurationPlan'];
export type ConfigurationChange = components['schemas']['ConfigurationChange'];
export type ConfigurationField = components['schemas']['ConfigurationField'];
export type AppliedConfiguration = components['schemas']['AppliedConfiguration'];
export type ConfigurationDrift = components['schemas']['ConfigurationDrift'];
export type ConnectionList = components['schemas']['ConnectionList'];
export type Connection = components['schemas']['Connection'];
export type ConnectionOwner = components['schemas']['ConnectionOwner'];
export type AuthMetadata = components['schemas']['AuthMetadata'];
export type Schema0 = components['schemas']['__schema0'];
export type TenantList = components['schemas']['TenantList'];
export type Tenant = components['schemas']['Tenant'];
export type ConnectSession = components['schemas']['ConnectSession'];
export type Diagnosis = components['schemas']['Diagnosis'];
export type Finding = components['schemas']['Finding'];
export type ClientProbe = components['schemas']['ClientProbe'];
export type ConnectAttempts = components['schemas']['ConnectAttempts'];
export type DeletionImpact = components['schemas']['DeletionImpact'];
export type IntegrationStates = components['schemas']['IntegrationStates'];
export type ProviderEvidence = components['schemas']['ProviderEvidence'];
export type ProjectOverview = components['schemas']['ProjectOverview'];
export type ConnectionHealth = components['schemas']['ConnectionHealth'];
export type ConnectionTest = components['schemas']['ConnectionTest'];
export type Stats = components['schemas']['Stats'];
export type CallNumbers = components['schemas']['CallNumbers'];
export type CallList = components['schemas']['CallList'];
export type Call = components['schemas']['Call'];
export type MandateSums = components['schemas']['MandateSums'];
export type MandateSum = components['schemas']['MandateSum'];
export type MandateUses = components['schemas']['MandateUses'];
export type MandateUse = components['schemas']['MandateUse'];
export type EventList = components['schemas']['EventList'];
export type Event = components['schemas']['Event'];
export type LatestEventList = components['schemas']['LatestEventList'];
export type SeenEventTypeList = components['schemas']['SeenEventTypeList'];
export type EventDestinationList = components['schemas']['EventDestinationList'];
export type EventDestination = components['schemas']['EventDestination'];
export type KafkaTopic = components['schemas']['KafkaTopic'];
export type NewEventDestination = components['schemas']['NewEventDestination'];
export type EventDestinationTest = components['schemas']['EventDestinationTest'];
export type RotatedSecret = components['schemas']['RotatedSecret'];
export type EventReplay = components['schemas']['EventReplay'];
export type EventReplayList = components['schemas']['EventReplayList'];
export type DeliveryCauseList = components['schemas']['DeliveryCauseList'];
export type RetriedDeliveries = components['schemas']['RetriedDeliveries'];
export type RedeliveredEvent = components['schemas']['RedeliveredEvent'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryList = components['schemas']['DeliveryList'];
export type DeliveryDetail = components['schemas']['DeliveryDetail'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type WebhookHandshake = components['schemas']['WebhookHandshake'];
export type WebhookReceiptList = components['schemas']['WebhookReceiptList'];
export type ListedWebhookReceipt = components['schemas']['ListedWebhookReceipt'];
export type WebhookReceiptDetail = components['schemas']['WebhookReceiptDetail'];
export type WebhookReceipt = components['schemas']['WebhookReceipt'];
export type WebhookSubscriptionList = components['schemas']['WebhookSubscriptionList'];
export type WebhookSubscription = components['schemas']['WebhookSubscription'];
export type NewWebhookSubscription = components['schemas']['NewWebhookSubscription'];
export type CreatePoll = components['schemas']['CreatePoll'];
export type PollResource = components['schemas']['PollResource'];
export type Poll = components['schemas']['Poll'];
export type PollDryRun = components['schemas']['PollDryRun'];
export type PollList = components['schemas']['PollList'];
export type UpdatePoll = components['schemas']['UpdatePoll'];
export type PollConnectionList = components['schemas']['PollConnectionList'];
export type PollConnection = components['schemas']['PollConnection'];
export type PollResourceList = components['schemas']['PollResourceList'];
export type ApprovalList = components['schemas']['ApprovalList'];
export type Approval = components['schemas']['Approval'];
export type ApprovalAsker = components['schemas']['ApprovalAsker'];
export type ApprovalActor = components['schemas']['ApprovalActor'];
export type ApprovalCall = components['schemas']['ApprovalCall'];
export type ApprovalSession = components['schemas']['ApprovalSession'];
export type PortalSession = components['schemas']['PortalSession'];
export type AgentConsentList = components['schemas']['AgentConsentList'];
export type AgentConsent = components['schemas']['AgentConsent'];
export type UserWithNumbers = components['schemas']['UserWithNumbers'];
export type UserErasure = components['schemas']['UserErasure'];
export type UserErasureList = components['schemas']['UserErasureList'];
export type OrganizationList = components['schemas']['OrganizationList'];
export type Organization = components['schemas']['Organization'];
export type OrganizationWithNumbers = components['schemas']['OrganizationWithNumbers'];
export type SearchResults = components['schemas']['SearchResults'];
export type GatewayRestore = components['schemas']['GatewayRestore'];
export type Gateway = components['schemas']['Gateway'];
export type ConnectionEvent = components['schemas']['ConnectionEvent'];
export type ConnectionDeletedEvent = components['schemas']['ConnectionDeletedEvent'];
export type IntegrationUpdatedEvent = components['schemas']['IntegrationUpdatedEvent'];
export type ApprovalEvent = components['schemas']['ApprovalEvent'];
export type ActivityEvent = components['schemas']['ActivityEvent'];
export type $defs = Record<string, never>;
export interface operations {
    setUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token of the link that the gateway printed",
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery staple",
                 *       "projectName": "My project"
                 *     }
                 */
                "application/json": {
                    /** @description The one-time token of the printed link. */
                    token: string;
                    /** Format: email */
                    email: string;
                    password: string;
                    /** @default My project */
                    projectName?: string;
                    /**
                     * @description Whether a personal access token and an API key are made and shown. `false` for a browser, which goes on with its session and would leave two credentials that no person holds.
                     * @default true
                     */
                    credentials?: boolean;
                };
            };
        };
        responses: {
            /** @description The only reply with these credentials */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupResult"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sessions that have not ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery staple",
                 *       "otp": "123456"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    password: string;
                    /** @description The code that the authenticator app shows, or a recovery code. */
                    otp?: string;
                };
            };
        };
        responses: {
            /** @description Signed in; the cookie comes with it */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: "current" | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSignInOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the sign-in page offers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInOptions"];
                };
            };
        };
    };
    getOwnOperator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    updateOwnOperator: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace",
                 *       "language": "en"
                 *     }
                 */
                "application/json": {
                    name?: string | null;
                    language?: ("en" | "de" | "es") | null;
                    password?: string;
                    currentPassword?: string;
                    /** @description With a new password: whether your personal access tokens end too. */
                    endTokens?: boolean;
                };
            };
        };
        responses: {
            /** @description You, as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    listGatewayOwners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayOwnerList"];
                };
            };
        };
    };
    addGatewayOwner: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "grace@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The owner */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayOwner"];
                };
            };
        };
    };
    removeGatewayOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the operator. */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed, at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createOtp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /** @description Yours. Without one, sign in again within ten minutes before this. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description What the app needs; shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewSecondFactor"];
                };
            };
        };
    };
    confirmOtp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "otp": "123456"
                 *     }
                 */
                "application/json": {
                    /** @description The code that the authenticator app shows, or a recovery code. */
                    otp: string;
                };
            };
        };
        responses: {
            /** @description You; signing in takes a code from now on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    disableOtp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple",
                 *       "otp": "123456"
                 *     }
                 */
                "application/json": {
                    /** @description Yours. Without one, sign in again within ten minutes before this. */
                    password?: string;
                    /** @description The code that the authenticator app shows, or a recovery code. */
                    otp: string;
                };
            };
        };
        responses: {
            /** @description You; the password alone signs you in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Taken; whether there is such an account is not said */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    completePasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the fragment of the link",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /** @description The fragment of the link. */
                    token: string;
                    password: string;
                    /** @description The code that the authenticator app shows, or a recovery code. */
                    otp?: string;
                };
            };
        };
        responses: {
            /** @description Signed in; the cookie comes with it */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    listPersonalAccessTokens: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tokens that are not revoked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalAccessTokenList"];
                };
            };
        };
    };
    createPersonalAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Laptop",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description CIDR ranges from which it may be used, by the address of the caller as TRUST_PROXY says; elsewhere it is refused with `address_not_allowed`. `0.0.0.0/0` is all of IPv4 alone, and `::/0` all of IPv6. */
                    allowedAddresses?: string[];
                    /**
                     * Format: date-time
                     * @description In 90 days unless given; PERSONAL_ACCESS_TOKEN_DAYS_MAX (365) days ahead at most.
                     */
                    expiresAt?: string;
                    /** @description Yours. Without one, sign in again within ten minutes before this. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The token, shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewPersonalAccessToken"];
                };
            };
        };
    };
    rotatePersonalAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 3600,
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description How long the old token goes on working beside the new one.
                     * @default 86400
                     */
                    overlapSeconds?: number;
                    /**
                     * Format: date-time
                     * @description In 90 days unless given; PERSONAL_ACCESS_TOKEN_DAYS_MAX (365) days ahead at most.
                     */
                    expiresAt?: string;
                    /** @description Yours. Without one, sign in again within ten minutes before this. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The token, shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewPersonalAccessToken"];
                };
            };
        };
    };
    revokePersonalAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked, at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updatePersonalAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Laptop"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /** @description Null: from anywhere. Takes your password. */
                    allowedAddresses?: string[] | null;
                    /** @description Yours, for other addresses. Without one, sign in again within ten minutes before this. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The token as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalAccessToken"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Projects, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "My application",
                 *       "allowedOrigins": [
                 *         "https://app.example.com"
                 *       ],
                 *       "returnUrls": [
                 *         "https://app.example.com/connected"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    allowedOrigins?: string[];
                    returnUrls?: string[];
                    approvalPage?: string | null;
                    agentSignIn?: {
                        /** @description A page of yours that signs a person in, and posts `state` and a user token whose `nonce` is that state back to `return_to`. */
                        page?: string | null;
                        /** @description Your OpenID provider, in the place of a page. */
                        openid?: {
                            /** @description As its discovery document names it, to the letter. */
                            issuer: string;
                            /** @description The gateway’s at your provider, with the redirect URI `<PUBLIC_URL>/agents/signed-in/<project id>`. */
                            clientId: string;
                            /** @description Null: a public client. Left out: as it is, for the same issuer and client. */
                            clientSecret?: string | null;
                            /**
                             * @description Asked for besides `openid`.
                             * @default [
                             *       "email"
                             *     ]
                             */
                            scopes?: string[];
                            /**
                             * @description The claim of the ID token that is your id of the user. `email` counts only where `email_verified` is true.
                             * @default sub
                             */
                            userIdClaim?: string;
                            /** @description A mandate of the project: the most that agents get. The claims `authorization_details` and `gateway_mandate` of the ID token count as those of a user token. */
                            mandateId?: string | null;
                        } | null;
                        /** @description Clients that have no metadata document may register themselves (RFC 7591): their names are proved by nothing. Default: false. */
                        dynamicRegistration?: boolean;
                    } | null;
                    limits?: {
                        /** @description Proxied calls that one end user may make per minute. */
                        proxyCallsPerMinute?: number;
                        /** @description Proxied calls that the users of one organization may make together in 24 hours; beyond, `429 quota_exceeded`. */
                        organizationCallsPerDay?: number;
                    };
                    branding?: {
                        /** @description Shown to end users instead of the project’s name. */
                        displayName?: string;
                        /** @description An https image, shown beside the name. Browsers load it from there. */
                        logoUrl?: string;
                        /** @description Of buttons, as #rrggbb. Words and outlines get a shade of it that can be read. */
                        color?: string;
                    };
                    tagClaims?: string[];
                    requireMandate?: boolean;
                };
            };
        };
        responses: {
            /** @description The project */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    deleteProject: {
        parameters: {
            query?: {
                /** @description Deletes although others depend on it. */
                force?: "true" | "false";
            };
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "allowedOrigins": [
                 *         "https://app.example.com",
                 *         "http://localhost:5173"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name?: string;
                    allowedOrigins?: string[];
                    returnUrls?: string[];
                    approvalPage?: string | null;
                    agentSignIn?: {
                        /** @description A page of yours that signs a person in, and posts `state` and a user token whose `nonce` is that state back to `return_to`. */
                        page?: string | null;
                        /** @description Your OpenID provider, in the place of a page. */
                        openid?: {
                            /** @description As its discovery document names it, to the letter. */
                            issuer: string;
                            /** @description The gateway’s at your provider, with the redirect URI `<PUBLIC_URL>/agents/signed-in/<project id>`. */
                            clientId: string;
                            /** @description Null: a public client. Left out: as it is, for the same issuer and client. */
                            clientSecret?: string | null;
                            /**
                             * @description Asked for besides `openid`.
                             * @default [
                             *       "email"
                             *     ]
                             */
                            scopes?: string[];
                            /**
                             * @description The claim of the ID token that is your id of the user. `email` counts only where `email_verified` is true.
                             * @default sub
                             */
                            userIdClaim?: string;
                            /** @description A mandate of the project: the most that agents get. The claims `authorization_details` and `gateway_mandate` of the ID token count as those of a user token. */
                            mandateId?: string | null;
                        } | null;
                        /** @description Clients that have no metadata document may register themselves (RFC 7591): their names are proved by nothing. Default: false. */
                        dynamicRegistration?: boolean;
                    } | null;
                    limits?: {
                        /** @description Proxied calls that one end user may make per minute. */
                        proxyCallsPerMinute?: number;
                        /** @description Proxied calls that the users of one organization may make together in 24 hours; beyond, `429 quota_exceeded`. */
                        organizationCallsPerDay?: number;
                    };
                    branding?: {
                        /** @description Shown to end users instead of the project’s name. */
                        displayName?: string;
                        /** @description An https image, shown beside the name. Browsers load it from there. */
                        logoUrl?: string;
                        /** @description Of buttons, as #rrggbb. Words and outlines get a shade of it that can be read. */
                        color?: string;
                    };
                    tagClaims?: string[];
                    requireMandate?: boolean;
                };
            };
        };
        responses: {
            /** @description The project as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    freezeProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "A token may have leaked"
                 *     }
                 */
                "application/json": {
                    /** @description For operators: callers do not see it. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description The project, frozen */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    unfreezeProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description That operator alone, if they are a member. */
                operatorId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
        };
    };
    addMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "grace@example.com",
                 *       "role": "admin"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @enum {string} */
                    role: "owner" | "admin" | "viewer";
                };
            };
        };
        responses: {
            /** @description The member to be */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the operator. */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed, at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the operator. */
                operatorId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "viewer"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    role: "owner" | "admin" | "viewer";
                };
            };
        };
        responses: {
            /** @description The member as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Those of this end user alone, by the `sub` of their tokens. */
                userId?: string;
                /** @description Those of this end user alone, by the gateway’s id. */
                integrationUserId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Users, the one seen first last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndUserList"];
                };
            };
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description Exactly, such as `connection.created`. */
                action?: string;
                /** @description The subject of the entries: a connection’s id gives its timeline, with its newest refresh (`connection.refreshed`). */
                subjectId?: string;
                /** @description The word before the dot of an action, such as `connection`. */
                subjectKind?: string;
                /** @description What this kind of actor did. */
                actorKind?: "operator" | "api_key" | "end_user" | "gateway";
                /** @description What this actor did. */
                actorId?: string;
                /** @description Id of the request: `Gateway-Request-Id` of its answer. */
                requestId?: string;
                /** @description From this time on. */
                from?: string;
                /** @description Not included. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Entries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityList"];
                };
            };
        };
    };
    exportActivity: {
        parameters: {
            query?: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description Exactly, such as `connection.created`. */
                action?: string;
                /** @description The subject of the entries: a connection’s id gives its timeline, with its newest refresh (`connection.refreshed`). */
                subjectId?: string;
                /** @description The word before the dot of an action, such as `connection`. */
                subjectKind?: string;
                /** @description What this kind of actor did. */
                actorKind?: "operator" | "api_key" | "end_user" | "gateway";
                /** @description What this actor did. */
                actorId?: string;
                /** @description Id of the request: `Gateway-Request-Id` of its answer. */
                requestId?: string;
                /** @description From this time on. */
                from?: string;
                /** @description Not included. */
                to?: string;
                /** @description The form of the answer. */
                format?: "csv" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Entries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": string;
                    "application/jsonl": string;
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Invitations that can still be accepted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "grace@example.com",
                 *       "role": "admin"
                 *     }
                 */
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @enum {string} */
                    role: "owner" | "admin" | "viewer";
                };
            };
        };
        responses: {
            /** @description The only reply with the link */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvitation"];
                };
            };
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn, at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    lookUpInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the fragment of the link"
                 *     }
                 */
                "application/json": {
                    /** @description The fragment of the link. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The project, and whom it is for */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationFacts"];
                };
            };
        };
    };
    listOwnInvitations: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Invitations that you can accept or decline */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnInvitationList"];
                };
            };
        };
    };
    acceptOwnInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You, as a member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    declineInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Declined; its link no longer works */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the fragment of the link",
                 *       "name": "Grace Hopper",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /** @description The fragment of the link. */
                    token: string;
                    name?: string;
                    /** @description Of a new account its password to be; of an existing one its own, unless it is signed in. */
                    password?: string;
                    /** @description The code that the authenticator app shows, or a recovery code. */
                    otp?: string;
                };
            };
        };
        responses: {
            /** @description A member now, and signed in */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Keys that are not revoked, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Backend",
                 *       "scopes": [
                 *         "users:tokens",
                 *         "connect",
                 *         "connections:read",
                 *         "events:read"
                 *       ],
                 *       "allowedAddresses": [
                 *         "192.0.2.0/24",
                 *         "2001:db8::/48"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description What the key may do; docs/api-keys.md tells which operations take which scope. `*` alone: everything, in later releases too. */
                    scopes?: components["schemas"]["ApiKeyScope"][];
                    /** @description CIDR ranges from which it may be used, by the address of the caller as TRUST_PROXY says; elsewhere it is refused with `address_not_allowed`. `0.0.0.0/0` is all of IPv4 alone, and `::/0` all of IPv6. */
                    allowedAddresses?: string[];
                    /** Format: date-time */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description The key, shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 86400
                 *     }
                 */
                "application/json": {
                    /**
                     * @description How long the old key goes on working beside the new one.
                     * @default 86400
                     */
                    overlapSeconds?: number;
                    /** @description Of the new key; null: never. Where left out it gets as long a life as the old one got. */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description The new key, shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked, at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "scopes": [
                 *         "events:read"
                 *       ],
                 *       "allowedAddresses": null
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /** @description What the key may do; docs/api-keys.md tells which operations take which scope. `*` alone: everything, in later releases too. */
                    scopes?: components["schemas"]["ApiKeyScope"][];
                    /** @description Null: from anywhere. */
                    allowedAddresses?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The key as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    listSigningKeys: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Live keys, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyList"];
                };
            };
        };
    };
    createSigningKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jwksUrl": "https://id.example.com/.well-known/jwks.json",
                 *       "issuer": "https://id.example.com/"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    alg: "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512";
                    publicKey: string | ({
                        kty: string;
                    } & {
                        [key: string]: unknown;
                    });
                    kid?: string;
                    issuer?: string;
                } | {
                    jwksUrl: string;
                    issuer: string;
                    audience?: string;
                } | {
                    /** @constant */
                    managed: true;
                };
            };
        };
        responses: {
            /** @description The key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"];
                };
            };
        };
    };
    revokeSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    testKeySet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jwksUrl": "https://id.example.com/.well-known/jwks.json"
                 *     }
                 */
                "application/json": {
                    jwksUrl: string;
                };
            };
        };
        responses: {
            /** @description The keys, the first 100 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySetFacts"];
                };
            };
        };
    };
    createUserToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "userId": "customer-17",
                 *       "expiresIn": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Of an operator with several projects.
                     */
                    projectId?: string;
                    /** @description Your own id of the user; becomes the token’s `sub`. Left out by an operator: the operator’s own test user in the project. */
                    userId?: string;
                    /**
                     * @description Lifetime in seconds; for operators an hour at most.
                     * @default 3600
                     */
                    expiresIn?: number;
                    /** @description What the token may do at providers (docs/mandates.md); left out: what its user may. */
                    authorizationDetails?: components["schemas"]["MandateEntry"][];
                    /**
                     * Format: uuid
                     * @description A mandate of the project, which has to allow each call; beside authorizationDetails, both have to.
                     */
                    mandateId?: string;
                    /** @description Who acts for the user, such as an agent: the claim `act` (RFC 8693). Records of calls name it. */
                    actor?: {
                        /** @description Shown to operators beside the calls. */
                        id: string;
                        /** @description Shown to operators beside the calls. */
                        name?: string;
                    };
                    /** @description Your own id of the organization that the user belongs to; becomes the token’s `org`. */
                    organizationId?: string;
                    /** @description The same, by the name of the claim. */
                    org?: string;
                    /** @description What the user may do for the organization; becomes `gateway_roles`. `connections:manage`: connect accounts for it, and end what is connected. */
                    gatewayRoles?: "connections:manage"[];
                    /** @description The `state` of a sign-in for an agent, to which the token is bound by it (docs/agents.md): the claim `nonce`. */
                    nonce?: string;
                };
            };
        };
        responses: {
            /** @description The token */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserToken"];
                };
            };
        };
    };
    listRevocations: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revocations, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevocationList"];
                };
            };
        };
    };
    createRevocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "customer-17"
                 *     }
                 */
                "application/json": {
                    /** @description The `jti` of one token. */
                    jti: string;
                } | {
                    /** @description Your own id of the user: the `sub` of the tokens. */
                    userId: string;
                    /**
                     * Format: date-time
                     * @description Left out: now. A token without `iat` counts as issued at the beginning of time.
                     */
                    issuedBefore?: string;
                } | {
                    /** @constant */
                    everyone: true;
                    /**
                     * Format: date-time
                     * @description Left out: now. A token without `iat` counts as issued at the beginning of time.
                     */
                    issuedBefore?: string;
                };
            };
        };
        responses: {
            /** @description The revocation */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revocation"];
                };
            };
        };
    };
    getRevocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revocation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revocation"];
                };
            };
        };
    };
    deleteRevocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken back */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listMandates: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Mandates, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MandateList"];
                };
            };
        };
    };
    createMandate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Reading contacts",
                 *       "entries": [
                 *         {
                 *           "type": "gateway_access",
                 *           "provider": "hubspot",
                 *           "access": "read",
                 *           "paths": [
                 *             "/crm/v3/objects/contacts/**"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    name: string;
                    entries: components["schemas"]["MandateEntry"][];
                    /**
                     * @description `frozen`: every call of a token that refers to it is `403 mandate_frozen`.
                     * @default active
                     * @enum {string}
                     */
                    state?: "active" | "frozen";
                };
            };
        };
        responses: {
            /** @description The mandate */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mandate"];
                };
            };
        };
    };
    getMandate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mandate */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mandate"];
                };
            };
        };
    };
    deleteMandate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateMandate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "state": "frozen"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    /** @description Take the place of those that were there. */
                    entries?: components["schemas"]["MandateEntry"][];
                    /**
                     * @description `frozen`: every call of a token that refers to it is `403 mandate_frozen`.
                     * @enum {string}
                     */
                    state?: "active" | "frozen";
                };
            };
        };
        responses: {
            /** @description The mandate as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Mandate"];
                };
            };
        };
    };
    explainMandate: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 192 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "entries": [
                 *         {
                 *           "type": "gateway_access",
                 *           "provider": "hubspot",
                 *           "access": "read"
                 *         }
                 *       ],
                 *       "provider": "hubspot",
                 *       "method": "POST",
                 *       "path": "/crm/v3/objects/contacts/search",
                 *       "body": {
                 *         "limit": 10
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Of an operator with several projects.
                     */
                    projectId?: string;
                    entries: components["schemas"]["MandateEntry"][];
                    provider: string;
                    /** @description Name of a further host; left out: the API base. */
                    host?: string;
                    /**
                     * Format: uuid
                     * @description Left out: the one that each entry names, if it names one.
                     */
                    connectionId?: string;
                    method: string;
                    /** @description As the call writes it behind the provider, with its query. */
                    path: string;
                    headers?: {
                        [key: string]: string;
                    };
                    /** @description Text as it is sent, or JSON. With JSON, `Content-Type` is `application/json` where it is left out. */
                    body?: string | {
                        [key: string]: unknown;
                    } | unknown[];
                    /** @description As `settings.readingTools` of the integration has them. Left out: those that every integration of the project with the provider has. */
                    readingTools?: string[];
                };
            };
        };
        responses: {
            /** @description The judgement */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MandateExplanation"];
                };
            };
        };
    };
    revokeAll: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report, which goes on */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevocationReport"];
                };
            };
        };
    };
    listRevocationReports: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reports, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevocationReportList"];
                };
            };
        };
    };
    getRevocationReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevocationReport"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: {
                /** @description For operators: own providers of this project only. Keys and user tokens have just one project. */
                projectId?: string;
                /** @description Providers of one category only. */
                category?: "crm" | "marketing" | "support" | "communication" | "calendar-email" | "productivity" | "project-management" | "storage" | "accounting" | "commerce" | "payments" | "hr" | "developer" | "analytics" | "social" | "identity" | "design" | "sales" | "data" | "security" | "health" | "education" | "legal" | "media" | "other";
                /** @description Providers with one kind of authorization only. */
                auth?: "oauth2" | "oauth2-client-credentials" | "api-key" | "basic" | "jwt-bearer" | "token-login" | "github-app" | "aws-sigv4" | "oauth1" | "jwt-per-call" | "wsse";
                /** @description Providers in one state only. */
                status?: "unknown" | "available" | "partner-only" | "sign-in-only" | "limited" | "ended";
                /** @description Words that the name, id or category must contain, in any order and case. */
                search?: string;
                /** @description Short for `search`. */
                q?: string;
                /** @description These providers only, by id with commas between: `hubspot,slack`. */
                ids?: string;
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of providers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
        };
    };
    createProvider: {
        parameters: {
            query?: {
                /** @description `true`: nothing is stored; the reply shows what would be sent to the provider. */
                dryRun?: "true" | "false";
            };
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "id": "acme-crm",
                 *       "name": "Acme CRM",
                 *       "category": "crm",
                 *       "auth": "oauth2",
                 *       "authorizationUrl": "https://crm.acme.example/oauth/authorize",
                 *       "tokenUrl": "https://crm.acme.example/oauth/token",
                 *       "apiBaseUrl": "https://crm.acme.example/api"
                 *     }
                 */
                "application/json": components["schemas"]["CreateProvider"];
            };
        };
        responses: {
            /** @description A dry run: what would be sent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderDryRun"];
                };
            };
            /** @description The provider */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    getProvider: {
        parameters: {
            query?: {
                /** @description For operators: own providers of this project only. Keys and user tokens have just one project. */
                projectId?: string;
            };
            header?: never;
            path: {
                /** @description Name of the provider in the catalog, `hubspot`. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    deleteProvider: {
        parameters: {
            query?: {
                /** @description For operators: own providers of this project only. Keys and user tokens have just one project. */
                projectId?: string;
            };
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Name of the provider in the catalog, `hubspot`. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateProvider: {
        parameters: {
            query?: {
                /** @description For operators: own providers of this project only. Keys and user tokens have just one project. */
                projectId?: string;
            };
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Name of the provider in the catalog, `hubspot`. */
                provider: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "apiBaseUrl": "https://crm.acme.example/api/v2"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateProvider"];
            };
        };
        responses: {
            /** @description The provider as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
        };
    };
    summarizeProviders: {
        parameters: {
            query?: {
                /** @description For operators: own providers of this project only. Keys and user tokens have just one project. */
                projectId?: string;
                /** @description The projects’ own providers alone, without the catalog. */
                only?: "own";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderSummaryList"];
                };
            };
        };
    };
    createProviderFiles: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": {
                 *         "id": "acme-crm",
                 *         "name": "Acme CRM",
                 *         "category": "crm",
                 *         "auth": "oauth2",
                 *         "authorizationUrl": "https://crm.acme.example/oauth/authorize",
                 *         "tokenUrl": "https://crm.acme.example/oauth/token",
                 *         "apiBaseUrl": "https://crm.acme.example/api"
                 *       },
                 *       "sources": [
                 *         {
                 *           "from": "https://developer.acme.example/oauth",
                 *           "says": [
                 *             "endpoints",
                 *             "apiBase"
                 *           ],
                 *           "date": "2026-11-27",
                 *           "by": "vendor"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    projectId?: string;
                    /** @description The fields of a provider file, as `POST /providers` takes them; the id with or without `custom:` */
                    description: {
                        [key: string]: unknown;
                    };
                    /** @description Where each fact was found: an https address or a package with its version, what it says, and the day. `by: "vendor"` for the provider’s own documentation */
                    sources: {
                        from: string;
                        says: ("endpoints" | "apiBase" | "keyPlacement" | "scopes" | "account" | "probe" | "webhooks" | "polls" | "tenants" | "hosts" | "oneHost" | "grants" | "access")[];
                        date: string;
                        /** @constant */
                        by?: "vendor";
                    }[];
                };
            };
        };
        responses: {
            /** @description The two files */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderFiles"];
                };
            };
        };
    };
    listIntegrations: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Those of this provider alone, by its name in the catalog. */
                serviceProvider?: string;
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description Not for end users. */
                include?: "numbers";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Integrations, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationList"];
                };
            };
        };
    };
    createIntegration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serviceProvider": "hubspot",
                 *       "clientId": "client-id-of-your-app",
                 *       "clientSecret": "client-secret-of-your-app",
                 *       "scopes": [
                 *         "oauth",
                 *         "crm.objects.contacts.read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    projectId?: string;
                    serviceProvider: string;
                    /**
                     * @description What end users read instead of the provider’s name, on the connect page and in the SDK’s lists. Null: the provider’s name.
                     * @example HubSpot (Europe)
                     */
                    name?: string | null;
                    /** @description Which of the provider’s ways to authenticate it uses: an id among its `grants` in the catalog. Left out or null: the provider’s usual one. Refused while connections exist. */
                    authMethod?: string | null;
                    /**
                     * @deprecated
                     * @description The earlier name of `authMethod`; give one of the two.
                     */
                    grant?: string | null;
                    clientId?: string;
                    clientSecret?: string;
                    /** @description When the client secret ends at the provider: the diagnosis warns 30 days ahead. A new secret has none */
                    secretExpiresAt?: string | null;
                    scopes?: string[];
                    /** @default [] */
                    optionalScopes?: string[];
                    /** @description What the provider signs webhooks with, or the verify token of its challenge. Refused where the provider uses none: `webhooks.secretUse` of the catalog. */
                    webhookSecret?: string;
                    /** @default {} */
                    variables?: {
                        [key: string]: string;
                    };
                    /** @default {} */
                    settings?: {
                        authorizationParams?: {
                            [key: string]: string;
                        };
                        /** @description Addresses of documents (OpenAPI 3, Swagger 2, Google discovery) that describe the API, beside those of the catalog; agents search their operations */
                        openapi?: string[];
                        /** @description How the provider signs webhooks, where it has several ways: one of the names of its `webhooks.alternatives`. Requests signed in the usual way are then refused. Left out, the usual way alone counts. A `webhookSecret` counts first. */
                        webhookScheme?: string;
                        /** @description Tools of an MCP server that do nothing but read, as the operator judges: mandates that allow reading alone let them be called. Left out: none. */
                        readingTools?: string[];
                    };
                };
            };
        };
        responses: {
            /** @description The integration */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    getIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    deleteIntegration: {
        parameters: {
            query?: {
                /** @description Deletes although others depend on it. */
                force?: "true" | "false";
            };
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateIntegration: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 256 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "clientSecret": "new-client-secret-of-your-app"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What end users read instead of the provider’s name, on the connect page and in the SDK’s lists. Null: the provider’s name.
                     * @example HubSpot (Europe)
                     */
                    name?: string | null;
                    /** @description What end users see in place of the provider’s logo: a PNG, JPEG or WebP picture of at most 64 KiB and 1024 by 1024 pixels, in base64. The format is read from the bytes; SVG is refused, since it is a document that may load and do things. Null: the provider’s logo again. */
                    logo?: string | null;
                    /** @description Which of the provider’s ways to authenticate it uses: an id among its `grants` in the catalog. Left out or null: the provider’s usual one. Refused while connections exist. */
                    authMethod?: string | null;
                    /**
                     * @deprecated
                     * @description The earlier name of `authMethod`; give one of the two.
                     */
                    grant?: string | null;
                    clientId?: string;
                    clientSecret?: string;
                    /** @description When the client secret ends at the provider: the diagnosis warns 30 days ahead. A new secret has none */
                    secretExpiresAt?: string | null;
                    scopes?: string[];
                    optionalScopes?: string[];
                    webhookSecret?: string | null;
                    variables?: {
                        [key: string]: string;
                    };
                    settings?: {
                        authorizationParams?: {
                            [key: string]: string;
                        };
                        /** @description Addresses of documents (OpenAPI 3, Swagger 2, Google discovery) that describe the API, beside those of the catalog; agents search their operations */
                        openapi?: string[];
                        /** @description How the provider signs webhooks, where it has several ways: one of the names of its `webhooks.alternatives`. Requests signed in the usual way are then refused. Left out, the usual way alone counts. A `webhookSecret` counts first. */
                        webhookScheme?: string;
                        /** @description Tools of an MCP server that do nothing but read, as the operator judges: mandates that allow reading alone let them be called. Left out: none. */
                        readingTools?: string[];
                    };
                    /** @description Switches the integration off: calls are answered `403 integration_disabled`, nobody can connect, polls pause. Applications and end users read the reason. Nothing is revoked, tokens are refreshed, webhooks are kept. Null: on again. */
                    disabled?: {
                        reason: string;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The integration as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    listOrganizationClients: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Your id of the organization. */
                organizationId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Clients, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationClientList"];
                };
            };
        };
    };
    createOrganizationClient: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "organizationId": "acme",
                 *       "clientId": "client-id-of-their-app",
                 *       "clientSecret": "client-secret-of-their-app"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Your own id of the organization, the claim `org` of its users’ tokens.
                     * @example acme
                     */
                    organizationId: string;
                    clientId: string;
                    clientSecret?: string;
                    /**
                     * @description They count more than those of the integration.
                     * @default {}
                     */
                    variables?: {
                        [key: string]: string;
                    };
                    /**
                     * @description What is asked for in place of the scopes of the integration, and then without its optional ones. Null: those of the integration.
                     * @default null
                     */
                    scopes?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The client */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationClient"];
                };
            };
        };
    };
    getOrganizationClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
                /** @description The `id` of the client, not the one that the provider gave it. */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationClient"];
                };
            };
        };
    };
    deleteOrganizationClient: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
                /** @description The `id` of the client, not the one that the provider gave it. */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken away */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateOrganizationClient: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
                /** @description The `id` of the client, not the one that the provider gave it. */
                clientId: string;
            };
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "clientSecret": "new-client-secret-of-their-app"
                 *     }
                 */
                "application/json": {
                    clientId?: string;
                    clientSecret?: string;
                    variables?: {
                        [key: string]: string;
                    };
                    /** @description What is asked for in place of the scopes of the integration, and then without its optional ones. Null: those of the integration. */
                    scopes?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The client as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationClient"];
                };
            };
        };
    };
    listIntegrationSecrets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secrets that there are */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationSecretList"];
                };
            };
        };
    };
    deleteIntegrationSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
                /** @description Id of the client secret. */
                secretId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Dropped */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getConfigurationSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description JSON Schema, 2020-12 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    exportConfiguration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportedConfiguration"];
                    "application/yaml": string;
                };
            };
        };
    };
    planConfiguration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 384 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "configuration": {
                 *         "version": 1,
                 *         "mandates": [
                 *           {
                 *             "name": "Reading contacts",
                 *             "entries": [
                 *               {
                 *                 "type": "gateway_access",
                 *                 "provider": "hubspot",
                 *                 "access": "read"
                 *               }
                 *             ]
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description The file: an object, or its text in YAML, whose faults then have a line and a column. */
                    configuration: string | {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Laid over the file one after the other: what differs in one environment.
                     * @default []
                     */
                    overlays?: (string | {
                        [key: string]: unknown;
                    })[];
                    /**
                     * @description The values of references, by what they name: `{ "env:HUBSPOT_SECRET": "…" }`. The gateway itself reads no variable and no file for a caller.
                     * @default {}
                     */
                    secrets?: {
                        [key: string]: string;
                    };
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The plan */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationPlan"];
                };
            };
        };
    };
    applyConfiguration: {
        parameters: {
            query?: {
                /** @description The one of the plan that is applied, where the body is YAML. */
                stateHash?: string;
            };
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 384 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "configuration": {
                 *         "version": 1,
                 *         "mandates": [
                 *           {
                 *             "name": "Reading contacts",
                 *             "entries": [
                 *               {
                 *                 "type": "gateway_access",
                 *                 "provider": "hubspot",
                 *                 "access": "read"
                 *               }
                 *             ]
                 *           }
                 *         ]
                 *       },
                 *       "stateHash": "of-the-plan"
                 *     }
                 */
                "application/json": {
                    /** @description The file: an object, or its text in YAML, whose faults then have a line and a column. */
                    configuration: string | {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Laid over the file one after the other: what differs in one environment.
                     * @default []
                     */
                    overlays?: (string | {
                        [key: string]: unknown;
                    })[];
                    /**
                     * @description The values of references, by what they name: `{ "env:HUBSPOT_SECRET": "…" }`. The gateway itself reads no variable and no file for a caller.
                     * @default {}
                     */
                    secrets?: {
                        [key: string]: string;
                    };
                    /** @description Needed, here or in the address. Of the plan: the apply is refused where the state has moved since. */
                    stateHash?: string;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description What was changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedConfiguration"];
                };
            };
        };
    };
    findConfigurationDrift: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        /** @description At most 384 KiB. */
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description Left out: the state is compared with what was applied last. */
                    configuration?: string | {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Laid over the file one after the other: what differs in one environment.
                     * @default []
                     */
                    overlays?: (string | {
                        [key: string]: unknown;
                    })[];
                    /**
                     * @description The values of references, by what they name: `{ "env:HUBSPOT_SECRET": "…" }`. The gateway itself reads no variable and no file for a caller.
                     * @default {}
                     */
                    secrets?: {
                        [key: string]: string;
                    };
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Every managed object, with its drift */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationDrift"];
                };
            };
        };
    };
    getConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every managed object, with its drift */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigurationDrift"];
                };
            };
        };
    };
    listConnections: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Those of this integration alone. */
                integrationId?: string;
                /** @description Those of this provider alone, by its name in the catalog. */
                serviceProvider?: string;
                /** @description Those in this state alone. */
                status?: "active" | "reauthorization_required";
                /** @description Whose they are */
                owner?: "user" | "organization";
                /** @description By tags of connections: `?tag.plan=pro`, or `?tag[plan]=pro`. Of several, all have to be there. */
                tag?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Connections, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionList"];
                };
            };
        };
    };
    importConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "integrationId": "0192f0c8-0000-7000-8000-000000000003",
                 *       "userId": "customer-17",
                 *       "credentials": {
                 *         "accessToken": "access-token-of-the-user",
                 *         "refreshToken": "refresh-token-of-the-user",
                 *         "expiresAt": "2026-01-31T09:30:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    integrationId: string;
                    /** @description Your own id of the user; of an organization’s connection, of the user who connected it, where known */
                    userId?: string;
                    /** @description Whose the connection is; left out: the user’s. `organization` alone needs `organizationId` */
                    owner?: ("user" | "organization") | {
                        /** @enum {string} */
                        type: "user" | "organization";
                        id: string;
                    };
                    /** @description Your own id of the organization */
                    organizationId?: string;
                    credentials: {
                        accessToken?: string;
                        refreshToken?: string;
                        /** Format: date-time */
                        expiresAt?: string;
                        scopes?: string[];
                        apiKey?: string;
                        username?: string;
                        password?: string;
                        /** @default {} */
                        variables?: {
                            [key: string]: string;
                        };
                    };
                    accountId?: string;
                    accountName?: string;
                    /** @default {} */
                    customMetadata?: {
                        [key: string]: components["schemas"]["__schema0"];
                    };
                    /** @default {} */
                    tags?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The connection */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    listProjectConnections: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Those of this integration alone. */
                integrationId?: string;
                /** @description Those of this provider alone, by its name in the catalog. */
                serviceProvider?: string;
                /** @description Those in this state alone. */
                status?: "active" | "reauthorization_required";
                /** @description Whose they are */
                owner?: "user" | "organization";
                /** @description By tags of connections: `?tag.plan=pro`, or `?tag[plan]=pro`. Of several, all have to be there. */
                tag?: {
                    [key: string]: string;
                };
                /** @description What the user’s or organization’s id, the account’s name or its id begins with, in upper or lower case; or the first eight or more characters of the connection’s id. Of each, the first 2,000 in alphabetical order are looked at. */
                search?: string;
                /** @description Those of this end user alone, by the gateway’s id. */
                integrationUserId?: string;
                /** @description Those of this end user alone, by the `sub` of their tokens. */
                userId?: string;
                /** @description Your own id of an organization */
                organizationId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Connections, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionList"];
                };
            };
        };
    };
    getConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    deleteConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Disconnected */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customMetadata": {
                 *         "plan": "pro",
                 *         "trial": null
                 *       }
                 *     }
                 */
                "application/json": {
                    customMetadata?: {
                        [key: string]: components["schemas"]["__schema0"];
                    };
                    /** @description Tags to set; null takes one away */
                    tags?: {
                        [key: string]: string | null;
                    };
                    /** @description The tenant that calls go to from now on: one that `GET /v1/connections/{id}/tenants` lists */
                    tenantId?: string;
                };
            };
        };
        responses: {
            /** @description The connection as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    listConnectionTenants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenants, in the order of the provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantList"];
                };
            };
        };
    };
    createConnectSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "provider": "hubspot"
                 *     }
                 */
                "application/json": {
                    provider?: string;
                    /** Format: uuid */
                    integrationId?: string;
                    /** @description The only integrations that the session may use, at whichever step: without `provider` and `integrationId` the user chooses among them. Left out: all of the project */
                    integrationIds?: string[];
                    /**
                     * Format: uuid
                     * @description The connection to re-authorize; its id is kept
                     */
                    connectionId?: string;
                    /** @description Id of the site, organization or account that the connection is for, where one grant may reach several: the user is not asked. With `connectionId` it moves the connection there */
                    tenant?: string;
                    /** @description Variables of the provider with `from: application`, such as the person for whom a key of the integration acts: given with an API key or by an operator, never with a user token */
                    variables?: {
                        [key: string]: string;
                    };
                    /** @description One of the project’s registered return URLs, exactly */
                    returnUrl?: string;
                    /**
                     * @description With a `returnUrl`: `page` leads back there, `popup` only where no opener takes the message of the closing page
                     * @default page
                     * @enum {string}
                     */
                    display?: "page" | "popup";
                    /** @default false */
                    allowMultiple?: boolean;
                    /**
                     * @description `link`: the backend vouches that only the right person has the link (API keys; operators to re-authorize)
                     * @default same_user
                     * @enum {string}
                     */
                    completion?: "same_user" | "link";
                    /** @description The end user that an API key makes the session for */
                    userId?: string;
                    /**
                     * @description Whose the connection will be. `organization`: a user token needs `org` and, in `gateway_roles`, `connections:manage`; an API key names `organizationId`. Left out: the user’s, or with `connectionId` whose it is
                     * @enum {string}
                     */
                    owner?: "user" | "organization";
                    /** @description Your own id of the organization, for which an API key makes the session */
                    organizationId?: string;
                    /** @description Tags of the connection; with `connectionId` in the place of those that it has */
                    tags?: {
                        [key: string]: string;
                    };
                    /** @description Language of the hosted pages: en, de, es. Left out, or none of these: what the browser asks for */
                    locale?: string;
                    /** @description Origin of the page that opens the popup, for callers that are no page themselves. Left out: the project’s first allowed origin */
                    origin?: string;
                };
            };
        };
        responses: {
            /** @description The link to open in a browser */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectSession"];
                };
            };
        };
    };
    completeConnectSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "completionCode": "code-of-the-closing-page"
                 *     }
                 */
                "application/json": {
                    completionCode: string;
                };
            };
        };
        responses: {
            /** @description The connection */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
        };
    };
    previewBranding: {
        parameters: {
            query?: {
                /** @description Shown to end users instead of the project’s name. */
                displayName?: string;
                /** @description An https image, shown beside the name. Browsers load it from there. */
                logoUrl?: string;
                /** @description Of buttons, as #rrggbb. Words and outlines get a shade of it that can be read. */
                color?: string;
                /** @description Which of the pages to show. */
                page?: "choose" | "connected" | "failed";
                /** @description Of the page’s words, as a BCP 47 tag. */
                locale?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    diagnoseIntegration: {
        parameters: {
            query?: {
                /** @description Whether to look again instead of answering what was found last. */
                refresh?: "true" | "false";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diagnosis"];
                };
            };
        };
    };
    probeClient: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 128 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serviceProvider": "hubspot",
                 *       "clientId": "client-id-of-your-app",
                 *       "clientSecret": "client-secret-of-your-app"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    projectId?: string;
                    serviceProvider: string;
                    /** @description Which of the provider’s ways to authenticate it uses: an id among its `grants` in the catalog. Left out or null: the provider’s usual one. Refused while connections exist. */
                    authMethod?: string | null;
                    /**
                     * @deprecated
                     * @description The earlier name of `authMethod`; give one of the two.
                     */
                    grant?: string | null;
                    clientId?: string;
                    clientSecret?: string;
                    /** @default {} */
                    variables?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The findings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientProbe"];
                };
            };
        };
    };
    listConnectAttempts: {
        parameters: {
            query?: {
                /** @description The last so many days. */
                days?: number;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts and the last failures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectAttempts"];
                };
            };
        };
    };
    listSignIns: {
        parameters: {
            query?: {
                /** @description The last so many days. */
                days?: number;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts and the last failures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectAttempts"];
                };
            };
        };
    };
    showIntegrationImpact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What goes with it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionImpact"];
                };
            };
        };
    };
    showProjectImpact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What goes with it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionImpact"];
                };
            };
        };
    };
    listIntegrationStates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A state for each integration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationStates"];
                };
            };
        };
    };
    listProviderEvidence: {
        parameters: {
            query?: {
                /** @description Of this provider alone. */
                provider?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What worked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderEvidence"];
                };
            };
        };
    };
    showProjectOverview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The overview */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectOverview"];
                };
            };
        };
    };
    showConnectionHealth: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The health */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionHealth"];
                };
            };
        };
    };
    testConnection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What came of it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionTest"];
                };
            };
        };
    };
    getStats: {
        parameters: {
            query?: {
                /** @description Default: an hour, a day or 30 days before `to`, by `step`. */
                from?: string;
                /** @description Not included. Default: now. */
                to?: string;
                /** @description Days begin at midnight UTC. Minutes and hours are kept for a shorter time than days. */
                step?: "minute" | "hour" | "day";
                /** @description `origin`: who answered with an error, without percentiles. `total`: one series of all calls, if there are any. `user`, `organization` (as the token names it), `mandate` (named ones) and `tag` (of the connection, as it is now; with `tag`) are kept by hour and day, without percentiles and without the calls that have none; they may be missing for half a minute. */
                groupBy?: "provider" | "integration" | "origin" | "total" | "user" | "organization" | "mandate" | "tag";
                /** @description Which tag, with `groupBy=tag`. */
                tag?: string;
                /** @description Your own id of one user, with `groupBy=user`. */
                userId?: string;
                /** @description Your own id of one organization, with `groupBy=organization`. */
                organizationId?: string;
                /** @description Those of this integration alone. */
                integrationId?: string;
                /** @description Name of the provider in the catalog, `hubspot`. */
                provider?: string;
                /** @description How many series at most: those with the most calls. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Series, the one with the most calls first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
        };
    };
    listCalls: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Id of the request: `Gateway-Request-Id` of its answer. */
                requestId?: string;
                /** @description Those of this connection alone. */
                connectionId?: string;
                /** @description Those of this integration alone. */
                integrationId?: string;
                /** @description Name of the provider in the catalog, `hubspot`. */
                provider?: string;
                /** @description Those of this end user alone, by the `sub` of their tokens. */
                userId?: string;
                /** @description Your own id of the organization that the token named. */
                organizationId?: string;
                /** @description By tags of connections: `?tag.plan=pro`, or `?tag[plan]=pro`. Of several, all have to be there. */
                tag?: {
                    [key: string]: string;
                };
                /** @description Those in this state alone. */
                status?: string;
                /** @description Calls from this door alone. */
                origin?: "none" | "gateway" | "provider";
                /** @description A mandate’s id, or the digest of entries that stood in tokens. */
                mandateId?: string;
                /** @description The id of anyone in the chain of actors. */
                actor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Calls, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallList"];
                };
            };
        };
    };
    getCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the request: `Gateway-Request-Id` of its answer. */
                requestId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
        };
    };
    sumMandateUses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Mandates, the one used last first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MandateSums"];
                };
            };
        };
    };
    listMandateUses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description A mandate’s id, or the digest of entries that stood in tokens. */
                mandateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Uses, the latest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MandateUses"];
                };
            };
        };
    };
    tailProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Needed where an operator has several projects. */
                projectId?: string;
                /** @description Types with commas between; `hubspot.*` names all that begin so. Those of the audit log, `activity.*`, come only where they are named; a key needs the scope `activity:read` for them. */
                types?: string[];
                /** @description Those of this connection alone. */
                connectionId?: string;
                /** @description Those of this integration alone. */
                integrationId?: string;
                /** @description Events of this type of object alone. */
                objectType?: string;
                /** @description By tags of connections: `?tag.plan=pro`, or `?tag[plan]=pro`. Of several, all have to be there. */
                tag?: {
                    [key: string]: string;
                };
                /** @description The id of the last event that was read: `nextAfter` of the page before. Left out, or 00000000-0000-0000-0000-000000000000: from the oldest event that is kept. */
                after?: string;
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description How many seconds to wait for an event where there is none yet. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, the oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
        };
    };
    listLatestEvents: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Needed where an operator has several projects. */
                projectId?: string;
                /** @description Types with commas between; `hubspot.*` names all that begin so. Those of the audit log, `activity.*`, come only where they are named; a key needs the scope `activity:read` for them. */
                types?: string[];
                /** @description Those of this connection alone. */
                connectionId?: string;
                /** @description Those of this integration alone. */
                integrationId?: string;
                /** @description Events of this type of object alone. */
                objectType?: string;
                /** @description By tags of connections: `?tag.plan=pro`, or `?tag[plan]=pro`. Of several, all have to be there. */
                tag?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, the newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LatestEventList"];
                };
            };
        };
    };
    listSeenEventTypes: {
        parameters: {
            query?: {
                /** @description Needed where an operator has several projects. */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Types by name, at most 200 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeenEventTypeList"];
                };
            };
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    listEventDestinations: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description By tags of the destinations: `?tag.plan=pro`, or `?tag[plan]=pro`. */
                tag?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Destinations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDestinationList"];
                };
            };
        };
    };
    createEventDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://app.example.com/events",
                 *       "types": [
                 *         "hubspot.contact.*",
                 *         "connection.*"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    projectId?: string;
                    /**
                     * @description `http`: POST requests to `url`. `kafka`: records of a topic of Kafka, or of Redpanda.
                     * @default http
                     * @enum {string}
                     */
                    kind?: "http" | "kafka";
                    /** @description Where events are sent with POST: https, without user name, password and fragment. */
                    url?: string;
                    /** @default null */
                    kafka?: {
                        /** @description Host and port of brokers, which tell the others. The addresses of all of them have to be public, also of those that the cluster names. */
                        brokers: string[];
                        /** @description It has to be there: none is created. */
                        topic: string;
                        /**
                         * @description Null: without TLS, which needs ALLOW_PRIVATE_NETWORKS.
                         * @default {
                         *       "ca": null
                         *     }
                         */
                        tls?: {
                            /**
                             * @description Certificates in PEM that the brokers’ are signed with; null: public authorities.
                             * @default null
                             */
                            ca?: string | null;
                        } | null;
                        /** @default null */
                        sasl?: {
                            /** @enum {string} */
                            mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
                            username: string;
                            /** @description Kept sealed and never shown. Left out of a change, it stays; not where brokers, TLS, mechanism or user change. */
                            password?: string;
                        } | null;
                    } | null;
                    /** @description Types that are sent; `hubspot.*` names all that begin so, `*` all but those of the audit log, `activity.*`, which a key needs the scope `activity:read` for. */
                    types: string[];
                    /**
                     * @description Only events of these connections; null: of all, and those of no connection.
                     * @default null
                     */
                    connectionIds?: string[] | null;
                    /**
                     * @description Only events of connections that have all of these tags when the event is read; empty: of all, and those of no connection.
                     * @default {}
                     */
                    tags?: {
                        [key: string]: string;
                    };
                    /** @default null */
                    description?: string | null;
                    /**
                     * @description `connection`: events of one connection follow each other, and wait while an earlier one is tried again. `none`: nothing waits, and order is not promised.
                     * @default none
                     * @enum {string}
                     */
                    ordered?: "none" | "connection";
                    /**
                     * @description `cloudevents`: CloudEvents 1.0 in structured mode, the event being its `data`.
                     * @default standard
                     * @enum {string}
                     */
                    format?: "standard" | "cloudevents";
                };
            };
        };
        responses: {
            /** @description The destination with its secret, shown this once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewEventDestination"];
                };
            };
        };
    };
    getEventDestination: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destination */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDestination"];
                };
            };
        };
    };
    deleteEventDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateEventDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "types": [
                 *         "*"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Where events are sent with POST: https, without user name, password and fragment. */
                    url?: string;
                    /** @description In the place of what was there; the password may stay. */
                    kafka?: {
                        /** @description Host and port of brokers, which tell the others. The addresses of all of them have to be public, also of those that the cluster names. */
                        brokers: string[];
                        /** @description It has to be there: none is created. */
                        topic: string;
                        /**
                         * @description Null: without TLS, which needs ALLOW_PRIVATE_NETWORKS.
                         * @default {
                         *       "ca": null
                         *     }
                         */
                        tls?: {
                            /**
                             * @description Certificates in PEM that the brokers’ are signed with; null: public authorities.
                             * @default null
                             */
                            ca?: string | null;
                        } | null;
                        /** @default null */
                        sasl?: {
                            /** @enum {string} */
                            mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
                            username: string;
                            /** @description Kept sealed and never shown. Left out of a change, it stays; not where brokers, TLS, mechanism or user change. */
                            password?: string;
                        } | null;
                    };
                    /** @description Types that are sent; `hubspot.*` names all that begin so, `*` all but those of the audit log, `activity.*`, which a key needs the scope `activity:read` for. */
                    types?: string[];
                    /** @description Only events of these connections; null: of all, and those of no connection. */
                    connectionIds?: string[] | null;
                    /** @description Only events of connections that have all of these tags when the event is read; empty: of all, and those of no connection. */
                    tags?: {
                        [key: string]: string;
                    };
                    description?: string | null;
                    /**
                     * @description `connection`: events of one connection follow each other, and wait while an earlier one is tried again. `none`: nothing waits, and order is not promised.
                     * @enum {string}
                     */
                    ordered?: "none" | "connection";
                    /**
                     * @description `cloudevents`: CloudEvents 1.0 in structured mode, the event being its `data`.
                     * @enum {string}
                     */
                    format?: "standard" | "cloudevents";
                };
            };
        };
        responses: {
            /** @description The destination as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDestination"];
                };
            };
        };
    };
    testEventDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What came back */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDestinationTest"];
                };
            };
        };
    };
    rotateEventDestinationSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret, shown this once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
        };
    };
    enableEventDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destination */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDestination"];
                };
            };
        };
    };
    disableEventDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destination */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDestination"];
                };
            };
        };
    };
    replayEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-11-20T00:00:00Z",
                 *       "states": [
                 *         "dead"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Events behind the one with this id.
                     */
                    after?: string;
                    /**
                     * Format: date-time
                     * @description Events of this time or later.
                     */
                    from?: string;
                    /**
                     * Format: date-time
                     * @description Events of this time or earlier.
                     */
                    to?: string;
                    /** @description Only events whose delivery is in one of these states. Left out: all, also those that it never received. */
                    states?: ("pending" | "delivered" | "failed" | "dead")[];
                };
            };
        };
        responses: {
            /** @description The replay has begun */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventReplay"];
                };
            };
        };
    };
    listReplays: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Replays under way */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventReplayList"];
                };
            };
        };
    };
    listDeliveryCauses: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description By tags of the destinations: `?tag.plan=pro`, or `?tag[plan]=pro`. */
                tag?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Causes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryCauseList"];
                };
            };
        };
    };
    retryDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "states": [
                 *         "dead"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @default [
                     *       "failed",
                     *       "dead"
                     *     ]
                     */
                    states?: ("failed" | "dead")[];
                    /** @description Only deliveries whose last attempt failed so; left out: any. */
                    error?: ("refused_by_receiver" | "redirect" | "gone" | "aborted_by_receiver" | "timeout" | "address_refused" | "name_not_found" | "tls_failed" | "connection_failed" | "authentication_failed" | "topic_not_found" | "message_too_large" | "answer_invalid" | "event_expired") | null;
                    /** @description Only deliveries whose last attempt was answered so; null: not answered. Left out: any. */
                    status?: number | null;
                };
            };
        };
        responses: {
            /** @description How many are due now */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedDeliveries"];
                };
            };
        };
    };
    redeliverEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The one destination that receives it, also where it does not want such events.
                     */
                    destinationId?: string;
                };
            };
        };
        responses: {
            /** @description The deliveries, which are due now */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedeliveredEvent"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description Those of this destination alone. */
                destinationId?: string;
                /** @description Those of this event alone. */
                eventId?: string;
                /** @description Those in this state alone. */
                state?: "pending" | "delivered" | "failed" | "dead";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, which is due now */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
        };
    };
    getWebhookHandshake: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the address waits for */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookHandshake"];
                };
            };
        };
    };
    awaitWebhookHandshake: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Until when the handshake is awaited */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookHandshake"];
                };
            };
        };
    };
    listWebhookReceipts: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description Those of this integration alone. */
                integrationId?: string;
                /** @description Those of this connection alone. */
                connectionId?: string;
                /** @description `unmatched` also lists accepted ones of which some events wait for a connection: `events.unmatched` is not 0. */
                state?: "accepted" | "unmatched" | "rejected" | "duplicate";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Receipts, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReceiptList"];
                };
            };
        };
    };
    getWebhookReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt with headers and body */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReceiptDetail"];
                };
            };
        };
    };
    replayWebhookReceipt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt, which waits to be split */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReceipt"];
                };
            };
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Subscriptions, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscriptionList"];
                };
            };
        };
    };
    createWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "connectionId": "0192f0c8-0000-7000-8000-000000000005",
                 *       "events": []
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Needed where the provider registers webhooks for each account.
                     */
                    connectionId?: string;
                    /** @default [] */
                    events?: string[];
                    /**
                     * @description Values that the provider’s registration asks for, such as the id of a board.
                     * @default {}
                     */
                    parameters?: {
                        [key: string]: string;
                    };
                    /** @description What the provider signs webhooks to this address with, where it shows you that. */
                    secret?: string;
                };
            };
        };
        responses: {
            /** @description The subscription with its address */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookSubscription"];
                };
            };
        };
    };
    deleteWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
                /** @description Id of the subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed, or about to be */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listPolls: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description Those of this integration alone. */
                integrationId?: string;
                /** @description Polls of which a connection has the tags: `?tag.plan=pro`. */
                tag?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Polls, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollList"];
                };
            };
        };
    };
    createPoll: {
        parameters: {
            query?: {
                /** @description `true`: nothing is stored; the reply shows what one connection’s provider is asked and answers. */
                dryRun?: "true" | "false";
                /** @description Of the dry run; left out: the newest active one. */
                connectionId?: string;
            };
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "integrationId": "0198b3a4-5d1e-7c02-9f00-1a2b3c4d5e6f",
                 *       "resource": "contacts",
                 *       "intervalSeconds": 300
                 *     }
                 */
                "application/json": components["schemas"]["CreatePoll"];
            };
        };
        responses: {
            /** @description A dry run: what was asked and answered */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollDryRun"];
                };
            };
            /** @description The poll */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Poll"];
                };
            };
        };
    };
    getPoll: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The poll */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Poll"];
                };
            };
        };
    };
    deletePoll: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updatePoll: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "intervalSeconds": 900
                 *     }
                 */
                "application/json": components["schemas"]["UpdatePoll"];
            };
        };
        responses: {
            /** @description The poll as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Poll"];
                };
            };
        };
    };
    pausePoll: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The poll */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Poll"];
                };
            };
        };
    };
    resumePoll: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The poll */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Poll"];
                };
            };
        };
    };
    runPoll: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Poll"];
                };
            };
        };
    };
    listPollConnections: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Those of this connection alone. */
                connectionId?: string;
                /** @description By tags of connections: `?tag.plan=pro`, or `?tag[plan]=pro`. Of several, all have to be there. */
                tag?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its connections, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollConnectionList"];
                };
            };
        };
    };
    listPollResources: {
        parameters: {
            query?: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
            };
            header?: never;
            path: {
                /** @description Name of the provider in the catalog, `hubspot`. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resources, by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollResourceList"];
                };
            };
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Those in this state alone. */
                state?: "pending" | "approved" | "rejected" | "expired" | "used";
                /** @description One of your projects; left out: all of them. */
                projectId?: string;
                /** @description Your own id of the user. */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Approvals, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The approval */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    approveApproval: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Approved */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    rejectApproval: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Refused */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    createApprovalSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "userId": "customer-17"
                 *     }
                 */
                "application/json": {
                    /** @description Whom you have signed in, by your own id: required with an API key. Of another user’s approval there is no page for them. */
                    userId?: string;
                    /** @description Language of the page; left out: the browser’s. */
                    locale?: string;
                };
            };
        };
        responses: {
            /** @description The link */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalSession"];
                };
            };
        };
    };
    createPortalSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "userId": "customer-17"
                 *     }
                 */
                "application/json": {
                    /** @description Whose page it is, with an API key. */
                    userId?: string;
                    /** @description The organization that the user belongs to, with an API key. */
                    organizationId?: string;
                    /** @description `connections:manage`: the user may end what the organization has connected, with an API key. */
                    gatewayRoles?: "connections:manage"[];
                    /** @description Language of the page: en, de, es. Left out: what the browser asks for. */
                    locale?: string;
                };
            };
        };
        responses: {
            /** @description The link to open in a browser */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalSession"];
                };
            };
        };
    };
    listAgentConsents: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId?: string;
                /** @description Your id of the user. */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Consents, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentConsentList"];
                };
            };
        };
    };
    withdrawAgentConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Your own id of the user (`userId`), percent-encoded, or the gateway’s (`integrationUserId`). Of `.` and `..` only the gateway’s, since addresses are shortened at these. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithNumbers"];
                };
            };
        };
    };
    eraseUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Your own id of the user (`userId`), percent-encoded, or the gateway’s (`integrationUserId`). Of `.` and `..` only the gateway’s, since addresses are shortened at these. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report, which goes on */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserErasure"];
                };
            };
        };
    };
    exportUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Your own id of the user (`userId`), percent-encoded, or the gateway’s (`integrationUserId`). Of `.` and `..` only the gateway’s, since addresses are shortened at these. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Everything that is kept */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                };
            };
        };
    };
    listUserErasures: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reports, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserErasureList"];
                };
            };
        };
    };
    getUserErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserErasure"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description How many items to answer at most. */
                limit?: number;
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
                /** @description Your own id of one. */
                organizationId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Organizations, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationList"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Your own id of the organization (`organizationId`), percent-encoded, or the gateway’s. Of `.` and `..` only the gateway’s, since addresses are shortened at these. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationWithNumbers"];
                };
            };
        };
    };
    eraseOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Your own id of the organization (`organizationId`), percent-encoded, or the gateway’s. Of `.` and `..` only the gateway’s, since addresses are shortened at these. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report, which goes on */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserErasure"];
                };
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is based on; 412 when the resource is no longer that. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Your own id of the organization (`organizationId`), percent-encoded, or the gateway’s. Of `.` and `..` only the gateway’s, since addresses are shortened at these. */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "callsPerDay": 100000
                 *     }
                 */
                "application/json": {
                    /** @description Proxied calls that its users may make together in 24 hours, in the place of what the project allows each organization. Null: that again. */
                    callsPerDay?: number | null;
                };
            };
        };
        responses: {
            /** @description The organization as changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationWithNumbers"];
                };
            };
        };
    };
    exportOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project. In a query: that project’s alone; an API key has one anyway. */
                projectId: string;
                /** @description Your own id of the organization (`organizationId`), percent-encoded, or the gateway’s. Of `.` and `..` only the gateway’s, since addresses are shortened at these. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Everything that is kept */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                };
            };
        };
    };
    search: {
        parameters: {
            query: {
                /** @description What to look for. */
                q: string;
                /** @description Only in this project. */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found, five of a kind at most */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
        };
    };
    getGatewayRestore: {
        parameters: {
            query?: {
                /** @description Where to go on: `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last restore */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayRestore"];
                };
            };
        };
    };
    resumeGateway: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body give the first reply for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "probe": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description False: goes on at once, and finds out with each call what died.
                     * @default true
                     */
                    probe?: boolean;
                };
            };
        };
        responses: {
            /** @description It goes on, or is probed first */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayRestore"];
                };
            };
        };
    };
    getGateway: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The gateway */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Gateway"];
                };
            };
        };
    };
}
