import { type ReactElement } from 'react';
import type { ConnectionFilter } from './connect.js';
import { type ConnectionsTexts } from './connections-texts.js';
import { type ConnectionsState } from './react-parts.js';
/** What `useConnections` gives. */
export type Connections = ConnectionsState;
export type ConnectionsProps = {
    /** Which ones; all that the user has or may use where left out. */
    readonly filter?: ConnectionFilter;
    /** BCP 47 tag of the language, of which the gateway's pages have English, German and Spanish; the browser's by default. */
    readonly locale?: string;
    /** Words in the place of these. */
    readonly texts?: Partial<ConnectionsTexts>;
    readonly className?: string;
    readonly onError?: (error: Error) => void;
};
/**
 * The user's connections as a list without style: which account, whether it needs attention, last used, and buttons to connect
 * it again and to remove it, which asks first. Of an organization's connections as well; who may not change them is refused. Below it
 * what may use them: the application, and agents that the user has allowed, each with a button that withdraws it.
 */
export declare function Connections({ filter, locale, texts, className, onError }: ConnectionsProps): ReactElement;
