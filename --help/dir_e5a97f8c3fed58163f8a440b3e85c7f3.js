var dir_e5a97f8c3fed58163f8a440b3e85c7f3 =
[
    [ "options", "dir_9323e403a1b2ee7fa3f94077a5dc2b31.html", "dir_9323e403a1b2ee7fa3f94077a5dc2b31" ],
    [ "steps", "dir_6bf655d3eabdee82638775416743fce0.html", "dir_6bf655d3eabdee82638775416743fce0" ],
    [ "reconstruct.hpp", "reconstruct_8hpp_source.html", null ]
];